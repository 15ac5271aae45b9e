for test in split multiply add calc; do
    sh "tests/$test.sh" || exit 1
done
echo "all tests pass"
