# The demo's worker: it stands where an agent would, and does one task in its own checkout.
# Each part is built on the files of the parts before it, so it fails where they are missing.
set -eu
echo "working on $DROVER_TASK in $DROVER_WORKSPACE"
mkdir -p lib
case "$DROVER_TASK" in
split)
    cat > lib/split.sh <<'PART'
# split SIGN TEXT: the parts between the signs, one a line.
split() { printf '%s\n' "$2" | tr "$1" '\n'; }
PART
    ;;
multiply)
    test -f lib/split.sh
    cat > lib/multiply.sh <<'PART'
. ./lib/split.sh
# multiply TEXT: the product of the numbers between its signs.
multiply() {
    product=1
    for number in $(split '*' "$1"); do product=$((product * number)); done
    echo "$product"
}
PART
    ;;
add)
    test -f lib/split.sh
    cat > lib/add.sh <<'PART'
. ./lib/split.sh
# add TEXT: the sum of the numbers between its signs.
add() {
    sum=0
    for number in $(split '+' "$1"); do sum=$((sum + number)); done
    echo "$sum"
}
PART
    ;;
calc)
    test -f lib/multiply.sh
    test -f lib/add.sh
    cat > calc.sh <<'PART'
set -f
. ./lib/multiply.sh
. ./lib/add.sh
sums=
for product in $(split '+' "$1"); do sums=${sums:+$sums+}$(multiply "$product"); done
add "$sums"
PART
    ;;
*)
    echo "no such part: $DROVER_TASK" >&2
    exit 1
    ;;
esac
