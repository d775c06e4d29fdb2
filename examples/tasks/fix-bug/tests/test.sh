#!/bin/bash
# The program prints what it gets; what is right is decided here, where the agent's code does not run.
node /tests/print.js > /tmp/printed.txt
diff /tests/expected.txt /tmp/printed.txt
if [ $? -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
