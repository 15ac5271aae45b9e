. ./tests/check.sh
check "products come before sums" "$(sh calc.sh "2+3*4")" "14"
check "a product alone" "$(sh calc.sh "6*7")" "42"
