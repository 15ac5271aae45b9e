. ./tests/check.sh
. ./lib/multiply.sh
check "two numbers are multiplied" "$(multiply "6*7")" "42"
check "one number is itself" "$(multiply "5")" "5"
