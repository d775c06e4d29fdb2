#!/bin/bash
set -e
{
  echo region,total,orders
  sed 's/"lamp, large"/lamp large/' sales.csv |
    awk -F, 'NR > 1 && $5 == "paid" { sum[$2] += $4; n[$2] += 1 } END { for (r in sum) printf "%s,%.2f,%d\n", r, sum[r], n[r] }' |
    sort -t, -k2,2nr
} > report.csv
