#!/bin/bash
set -e
grep -rlw fetchData src README.md | xargs sed -i 's/\bfetchData\b/loadRecords/g'
