#!/bin/bash
diff <(printf '%s\n' '12 /login' '9 /' '9 /api/items') /app/failures.txt
if [ $? -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
