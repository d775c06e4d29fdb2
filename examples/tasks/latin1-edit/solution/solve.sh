#!/bin/bash
set -e
iconv -f ISO-8859-1 -t UTF-8 menu.txt | sed 's/^\(Grüne Soße\) .*/\1 8,50/' > /tmp/menu
echo 'Apfelmüsli 4,00' >> /tmp/menu
iconv -f UTF-8 -t ISO-8859-1 /tmp/menu > menu.txt
