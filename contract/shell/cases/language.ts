import type { ShellCase } from '../types.js'

/** Quoting, expansion, pipes, here-documents: what makes it a shell. */
export const languageCases: ShellCase[] = [
  {
    name: 'single quotes keep everything as it is',
    steps: [{ run: `echo 'a  b $HOME \\n "c" \`d\`'`, stdout: 'a  b $HOME \\n "c" `d`\n' }],
  },
  {
    name: 'double quotes expand variables and keep spaces',
    steps: [{ run: `N='a  b'; echo "<$N>"`, stdout: '<a  b>\n' }],
  },
  {
    name: 'words are split at spaces unless quoted',
    steps: [{ run: `LIST='a  b'; printf '[%s]' $LIST "$LIST"; echo`, stdout: '[a][b][a  b]\n' }],
  },
  {
    name: 'a backslash quotes one character',
    steps: [{ run: 'echo a\\ \\ b \\$HOME', stdout: 'a  b $HOME\n' }],
  },
  {
    name: 'output of a command can be put into another',
    steps: [{ run: 'echo "<$(echo inner; echo again)>" `echo old`', stdout: '<inner\nagain> old\n' }],
  },
  {
    name: 'arithmetic is evaluated',
    steps: [{ run: 'N=5; echo $((N * 2 + 1)) $((7 / 2)) $((7 % 4))', stdout: '11 3 3\n' }],
  },
  {
    name: 'variables have defaults, and can be shortened',
    steps: [
      {
        run: `F=dir/name.tar.gz; echo "\${NONE:-default}" "\${F##*/}" "\${F%.gz}" "\${F%%.*}" "\${#F}"`,
        stdout: 'default name.tar.gz dir/name.tar dir/name 15\n',
      },
    ],
  },
  {
    name: 'a pipe connects output and input',
    steps: [{ run: `printf 'b\\na\\nb\\n' | sort | uniq -c | sed 's/^ *//'`, stdout: '1 a\n2 b\n' }],
  },
  {
    name: 'a long pipe of text arrives whole',
    steps: [{ run: 'seq 1 20000 | cat | cat | tail -n 1', stdout: '20000\n' }],
  },
  {
    name: 'a here-document is input, with variables expanded',
    steps: [
      { run: 'NAME=x\ncat <<END\nhello $NAME\n  indented\nEND\necho after', stdout: 'hello x\n  indented\nafter\n' },
    ],
  },
  {
    name: 'a quoted here-document is kept as it is',
    steps: [{ run: `cat <<'END'\n$HOME \`x\` \\n\nEND`, stdout: '$HOME `x` \\n\n' }],
  },
  {
    name: 'loops and conditions',
    steps: [
      {
        run: `for i in 1 2 3; do if [ $i -eq 2 ]; then continue; fi; echo $i; done; n=0; while [ $n -lt 2 ]; do n=$((n + 1)); done; echo n=$n`,
        stdout: '1\n3\nn=2\n',
      },
    ],
  },
  {
    name: 'case distinguishes by pattern',
    steps: [
      {
        run: 'for f in a.ts b.md c; do case $f in *.ts) echo code;; *.md) echo text;; *) echo other;; esac; done',
        stdout: 'code\ntext\nother\n',
      },
    ],
  },
  {
    name: 'functions take arguments and return a status',
    steps: [{ run: 'greet() { echo "hi $1 $#"; return 4; }; greet you now; echo $?', stdout: 'hi you 2\n4\n' }],
  },
  {
    name: 'a subshell changes nothing outside of it',
    tree: { 'd/': {} },
    steps: [
      {
        run: 'X=1; (X=2; cd d; echo $X); echo $X; basename "$(pwd)" | grep -c "^d$"',
        exitCode: 1,
        stdout: '2\n1\n0\n',
      },
    ],
  },
  {
    name: 'text in any script passes through',
    steps: [
      {
        run: `echo 'grüße 日本語 🙂' | tr a-z A-Z | cat; printf '%s\\n' 'é' | wc -c | tr -d ' '`,
        stdout: { contains: '日本語 🙂\n3\n' },
      },
    ],
  },
  {
    name: 'a comment is passed over',
    steps: [{ run: '# nothing\necho a # b', stdout: 'a\n' }],
  },
  {
    name: 'a syntax error is a failure, and runs nothing after it',
    steps: [{ run: 'if then fi; echo never', exitCode: 'not zero', stdout: '' }],
    needs: { separateStreams: true },
  },
]
