#!/bin/bash
set -e
awk '$9 == 500 { print $7 }' access.log | sort | uniq -c | sort -k1,1nr -k2,2 | head -3 | awk '{ print $1, $2 }' > failures.txt
