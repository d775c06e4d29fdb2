/** Scripts about the shell around commands, made from a seed: traps, `set -e`, redirections, `read`, `printf`, `getopts`, aliases. */
import type { Random } from '../../core/search/generated-trees.js'

const start = `printf 'one two\\nthree:4\\n  five  six \\nfinal' > in; mkdir d; touch d/a.txt d/b.md
f() { echo "f $# $1"; return 2; }
g() { false; echo "g $?"; }
`

export function shellScript(random: Random): string {
  const lines = Array.from({ length: 3 + random(4) }, () => line(random, 2))
  return `${start}${pick(random, beginnings)}${lines.join('')}echo "end $? $-"\n`
}

const traces = 'echo "T $LINENO $BASH_COMMAND $?"'

const beginnings = [
  '',
  '',
  'set -e\n',
  'set -e\n',
  'set -eo pipefail\n',
  'set -E\n',
  'set -u\n',
  'shopt -s inherit_errexit; set -e\n',
  'shopt -s lastpipe\n',
  'shopt -s nullglob\n',
  `trap '${traces}' ERR\n`,
  `trap '${traces}' DEBUG\n`,
  `set -E; trap '${traces}' ERR\n`,
  `set -T; trap '${traces}' DEBUG\n`,
  `trap 'echo "R $FUNCNAME"' RETURN\n`,
  `set -e; trap 'echo "E $?"' ERR; trap 'echo "X $?"' EXIT\n`,
  `trap 'echo "X $?"' EXIT\n`,
  'shopt -s expand_aliases\nalias ee="echo al " ww="word " sss="f s; "\n',
]

type Maker = (random: Random, depth: number) => string

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

/** One line, or several that belong together. */
function line(random: Random, depth: number): string {
  return `${pick(random, depth > 0 ? makers : simple)(random, depth)}\n`
}

const commands = [
  'true',
  'false',
  'f a b',
  'g',
  '(exit 3)',
  'echo out',
  'x=$(false)',
  'x=1',
  'nope 2> /dev/null',
  'cat < missing 2> /dev/null',
  'return 4 2> /dev/null',
  '[[ a == b ]]',
  '((0))',
  '((1))',
  'test -f in',
  'eval false',
  'eval "echo ev; false"',
  'command false',
  '! true',
  '! false',
  'local v 2> /dev/null',
  'ee one ww ee',
  'ww ee',
  'sss',
  ': > made',
  'echo $(false; echo sub)',
  'exit 5',
  'break 2> /dev/null',
  'echo "$undefined"',
  'set +e',
]

const command: Maker = (random) => pick(random, commands)

/** Lists, pipelines and compounds of them. */
const list: Maker = (random, depth) => {
  if (depth <= 0) return command(random, depth)
  const one = () => list(random, depth - 1)
  const kinds = [
    () => `${one()} && ${one()}`,
    () => `${one()} || ${one()}`,
    () => `${one()} | cat`,
    () => `echo piped | ${command(random, 0)}`,
    () => `! ${command(random, 0)}`,
    () => `{ ${one()}; ${one()}; }`,
    () => `(${one()}; ${one()})`,
    () => `if ${one()}; then ${one()}; else ${one()}; fi`,
    () => `for i in 1 2; do ${one()}; done`,
    () => `while read -r l; do echo "<$l>"; ${one()}; done < ${pick(random, ['in', 'in', 'missing'])} 2> /dev/null`,
    () => `{ ${one()}; } ${pick(random, redirections)}`,
    () =>
      `case ${pick(random, words)} in ${pick(random, patterns)}) ${one()} ${pick(random, [';;', ';&', ';;&'])} *) ${one()};; esac`,
    () => `y=$(${one()}); echo "y=$y $?"`,
    () => `until ${command(random, 0)}; do break; done`,
    () => `h() { ${one()}; ${one()}; }; h 1`,
    () => command(random, 0),
  ]
  return pick(random, kinds)()
}

const words = ['abc', '"a b"', '*', '""', 'in', '"$y"', 'é']
const patterns = ['a*', '"a b"', '\\*', '?', '[a-i]n', '""', 'x|abc', '(abc', '*[!c]']
const redirections = [
  '> out',
  '>> out',
  '2>&1',
  '> out 2>&1',
  '&> out',
  '< in',
  '< missing 2> /dev/null',
  '3>&1 >&3 3>&-',
  '>| out',
  '<<< "here $x"',
  '{fd}> out',
  '> d/out < in',
  '<> out',
]

const reads: Maker = (random) => {
  const options = ['', '-r', '-n 3', '-r -n 4', '-d :', '-d ""', '-N 6', '-a arr', '-r -a arr', '-s']
  const inputs = ["' a b  c '", "'a\\\\ b c'", "'x:y:z'", "'a\\\\\\nb'", "''", "'::'", "'1 2:3 4'", "'é ü'", "'a\\\\'"]
  const ifs = pick(random, ['', '', 'IFS= ', 'IFS=: ', "IFS=': ' ", 'IFS=a '])
  const names = pick(random, ['', 'p', 'p q', 'p q r'])
  const option = pick(random, options)
  const named = option.includes('-a') ? '' : names
  return `unset p q r arr REPLY; printf ${pick(random, inputs)} > line; ${ifs}read ${option} ${named} < line; echo "$? [$REPLY] [$p] [$q] [$r] \${#arr[@]} [\${arr[*]}]"`
}

const prints: Maker = (random) => {
  const formats = [
    '%s|',
    '%5s|',
    '%-5s|',
    '%.2s|',
    '%d ',
    '%05d ',
    '%x ',
    '%u ',
    '%q ',
    '%b|',
    '%c|',
    '%+d ',
    '%o ',
    '%*d|',
    '%e ',
    '%.3f ',
    '%%',
    '\\t',
    '\\x41',
    '\\101',
    'text ',
  ]
  const values = [
    'a',
    '"b c"',
    '""',
    '42',
    '-7',
    '010',
    '0x1f',
    '3.14',
    "'a\\nb'",
    '"it\'s"',
    '18446744073709551615',
    '9223372036854775808',
    'é',
    '"\'A"',
    '1e3',
    '~',
  ]
  const format = Array.from({ length: 1 + random(3) }, () => pick(random, formats)).join('')
  const given = Array.from({ length: random(4) }, () => pick(random, values)).join(' ')
  return `printf '${format}\\n' ${given} 2> /dev/null; echo "$?"`
}

const options: Maker = (random) => {
  const spec = pick(random, ['ab:c', ':ab:c', 'abc', ':b:', 'a:b:c:'])
  const given = Array.from({ length: random(5) }, () =>
    pick(random, ['-a', '-b', '-c', '-ab', '-bval', '-cab', '--', '-', '-z', 'arg', '-a1', "''"]),
  ).join(' ')
  const reset = pick(random, ['OPTIND=1; ', 'OPTIND=1; ', ''])
  return `${reset}set -- ${given}; while getopts ${spec} o 2> /dev/null; do echo "$o [$OPTARG] $OPTIND"; done; echo "$o $OPTIND"`
}

const documents: Maker = (random) => {
  const delimiter = pick(random, ['E', "'E'", '\\E', '"E"'])
  const dash = pick(random, ['', '-'])
  const body = pick(random, ['$x `echo bq` $((1+1))', '\ttab \\$x \\\\ "q"', `it's \${x:-'d'}`, 'a\\\nb', ''])
  const end = pick(random, ['', ' | tr a-z A-Z', ' && echo and', ' > out; cat out', '; echo $?'])
  return `cat <<${dash}${delimiter}${end}\n${body}\nE`
}

const aliases: Maker = (random) => {
  const values = [
    "'echo x '",
    "'echo y'",
    "'if true; then echo '",
    "'{ echo b;'",
    "'al2 '",
    "'! '",
    "'for i in 1 2; do echo $i;'",
    "''",
    "'echo \"q '",
  ]
  const uses = ['al ww', 'al al2', 'al ww; fi', 'al }', 'al done', 'al true', '\\al', 'al', 'x=1 al ww', 'al | cat']
  return `shopt -s expand_aliases\nalias ww=word al2='echo two ' al=${pick(random, values)}\neval '${pick(random, uses)}' 2> /dev/null\necho "$?"; unalias -a`
}

const files: Maker = (random) =>
  pick(random, [
    'exec 3> out; echo a >&3; echo b >&3; exec 3>&-; cat out',
    'exec 4< in; read -r p <&4; read -r q <&4; exec 4<&-; echo "$p/$q"',
    'set -C; echo a > out; echo $?; echo b >| out; set +C; cat out',
    'GLOBIGNORE="d/*.md"; echo d/* d*; unset GLOBIGNORE',
    `mapfile -t arr < in; echo "\${#arr[@]} \${arr[1]}"`,
    `mapfile -n 2 -s 1 arr < in; printf "%s" "\${arr[@]}"`,
    'echo a > out; cat out - <<< b',
    'cat <(echo ps) <(< in)',
    'tee out < in | tail -n 1; echo; cat out',
    'pushd d > /dev/null; echo *; popd > /dev/null; echo * "$?"',
    'cd d; echo *; cd - > /dev/null; echo *',
    'trap "echo got" USR1; kill -USR1 $$; trap - USR1; trap -p USR1',
    'PS4="+ "; { set -x; [[ -n a && ! "b c" == d* ]]; echo "x y" $x; (( 1 + 1 )); set +x; } 2>&1',
    'type -t echo f if cat nope; command -v f cd; hash -r',
    '. ./in 2> /dev/null; echo "$?"',
    'echo "echo s \\$1; return 3" > s; . ./s arg; echo "$?"',
    'bash -c "echo \\$0 \\$1; exit 6" name arg; echo "$?"',
    'echo "echo in \\$1" | bash -s x; bash -e -c "false; echo no"; echo "$?"',
    `coproc { read -r l; echo "co $l"; }; echo hi >&"\${COPROC[1]}"; read -r p <&"\${COPROC[0]}"; echo "$p"; wait`,
  ])

const simple: readonly Maker[] = [reads, prints, options, documents, files]
const makers: readonly Maker[] = [list, list, list, list, ...simple, aliases]
