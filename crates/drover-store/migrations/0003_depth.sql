-- Depth and scale: graphs of any size.

-- The window that an agent shares with others, by its name.
ALTER TABLE agents ADD COLUMN tab TEXT;
