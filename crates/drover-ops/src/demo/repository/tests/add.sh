. ./tests/check.sh
. ./lib/add.sh
check "three numbers are added" "$(add "1+2+3")" "6"
check "one number is itself" "$(add "9")" "9"
