. ./tests/check.sh
. ./lib/split.sh
check "a sum is split at its signs" "$(split + "1+20+3" | tr '\n' ' ')" "1 20 3 "
check "a single number stays whole" "$(split + "42" | tr '\n' ' ')" "42 "
