#!/bin/bash
cd /app
find . | sort | diff /tests/expected.txt - && grep -qx 'do not delete' keep/important.tmp && grep -q main src/main.c
if [ $? -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
