shopt -s expand_aliases
alias a="echo in file"
a
