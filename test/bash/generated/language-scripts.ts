/** Scripts in the language of bash, made from a seed. They end, and do not depend on time, processes or the machine. */
import type { Random } from '../../core/search/generated-trees.js'

const names = ['x', 'y', 'z', 'empty', 'unset']
const arrays = ['a', 'b']
const letters = [
  'a',
  'bc',
  'B',
  'foo',
  'x1',
  '7',
  '0',
  '42',
  'é',
  'a.b',
  '-n',
  '-',
  '*',
  '?',
  '~',
  '[ab]',
  '{',
  '=',
  '+',
  ':',
]

const start = `x='foo bar' y=42 z='a*b' empty= a=(one 'two words' '' four) b=([3]=three [7]='s e')
declare -A m=([k]=v ['k 2']='v 2')
touch f1 f2 g.txt; mkdir d; echo in > d/h.txt
set -- p1 'p 2' '' p4
`

export function languageScript(random: Random): string {
  // Not `IFS=`: bash then leaks its own marks (\\1) into unquoted lists.
  const ends = [
    '',
    '',
    '',
    'set -u\n',
    'set -e\n',
    'set -eu\n',
    'shopt -s extglob nullglob\n',
    'set -f\n',
    "IFS=','\n",
    'set -o pipefail\n',
  ]
  // Two writers of one file overwrite each other by position in bash; here the last one's text stays.
  outputs = 0
  const body = statements(random, 3, 2 + random(4))
  return `${start}${pick(random, ends)}${body}echo "end $? \${#x} $y \${a[*]}"\n`
}

let outputs = 0

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

function many(random: Random, most: number, make: () => string, between = ' '): string {
  return Array.from({ length: 1 + random(most) }, make).join(between)
}

function statements(random: Random, depth: number, count: number): string {
  return `${Array.from({ length: count }, () => statement(random, depth)).join('\n')}\n`
}

function statement(random: Random, depth: number): string {
  if (depth === 0 || random(3) === 0) return listed(random)
  const body = () => statements(random, depth - 1, 1 + random(2)).trimEnd()
  switch (random(14)) {
    case 0:
      return `if ${condition(random)}; then\n${body()}\nelif ${condition(random)}; then ${body()}\nelse\n${body()}\nfi${redirection(random)}`
    case 1:
      return `for i in ${many(random, 4, () => word(random))}; do\necho "i=$i"; ${body()}\ndone${redirection(random)}`
    case 2:
      return `for ((i${depth} = 0; i${depth} < ${1 + random(4)}; i${depth}++)); do ${jump(random)} ${body()}\ndone`
    case 3:
      return `n${depth}=0; while ((n${depth}++ < ${1 + random(4)})); do ${jump(random)}\n${body()}\ndone${redirection(random)}`
    case 4:
      return `case ${word(random)} in\n  ${pattern(random)} | ${pattern(random)}) ${body()} ${pick(random, [';;', ';&', ';;&'])}\n  ${pattern(random)}) echo second ;;\n  *) echo other ;;\nesac`
    case 5:
      return `( ${body()}\n)${redirection(random)}; echo "sub $?"`
    case 6:
      return `{ ${body()}\n}${redirection(random)}`
    case 7: {
      const name = `f${depth}_${random(3)}`
      return `${name}() { local x=${word(random)} l; ${body()}\n${pick(random, ['', 'return 3', 'return'])}\n}\n${name} ${many(random, 3, () => word(random))}; echo "$? $# $x"`
    }
    case 8:
      return `{ ${body()}\n} | ${pick(random, ['cat', 'cat -A', 'wc -l', 'while read -r l; do echo "<$l>"; done', 'sort', 'tail -n 1', 'tr a-z A-Z', 'grep -c .'])}`
    case 9:
      return `while IFS=${pick(random, ['', ',', ' ', ':', "' ,'"])} read -r ${pick(random, ['l', 'l r', 'l s r'])}; do echo "[$l|$r]"; done <<< ${word(random)}`
    case 10:
      // No expansions that fail: bash expands the text in the process of `cat`, so that only that ends. And no `$*`, which it joins by blanks.
      return `cat <<${pick(random, ["'E'", 'E', '-E'])}\n${simple(random)} "\${a[*]}" \${y#4} $x \${y:-d} $((2 + 1)) \\$x \`echo q\`\nE`
    case 11: {
      // Without backslashes, for at the end of a glob bash drops them. bash 5.2 loses a `;` after a here-document in a substitution.
      const inner = body()
      return inner.includes('<<') ? inner : `v=$( ${inner}\n); echo "[$v]" \${v//\\\\/}`
    }
    case 12:
      return `mapfile -t a < <(printf '%s\\n' ${many(random, 3, () => word(random))}); echo "\${#a[@]}: \${a[*]}"`
    default:
      return `eval '${listed(random).replaceAll("'", "'\\''")}'`
  }
}

function listed(random: Random): string {
  const first = `${pick(random, ['', '', '', '! '])}${command(random)}`
  if (random(3) > 0) return first
  return `${first} ${pick(random, ['&&', '||', ';'])} ${command(random)}`
}

function jump(random: Random): string {
  return pick(random, ['', '', `${condition(random)} && continue;`, `${condition(random)} && break;`])
}

function command(random: Random): string {
  switch (random(13)) {
    case 0:
      return `echo ${many(random, 4, () => word(random))}`
    case 1:
    case 2:
    case 3:
      return `printf '<%s>' ${many(random, 4, () => word(random))}; echo`
    case 4:
      return `${pick(random, names.slice(0, 3))}${pick(random, ['=', '=', '+='])}${word(random)}`
    case 5:
      return `${pick(random, arrays)}${pick(random, ['=', '+='])}(${many(random, 4, () => word(random))})`
    case 6:
      return `${pick(random, arrays)}[${random(6)}]=${word(random)}`
    case 7:
      return `m[${pick(random, ['k', 'n', '$x', '"k 2"'])}]=${word(random)}; echo "\${#m[@]} \${m[k]}"`
    case 8:
      return `((${arithmetic(random, 3)})); echo "= $? $y"`
    case 9:
      return `echo ${word(random)}${redirection(random, true)}`
    case 10:
      return `unset ${pick(random, ["'a[1]'", 'x', "'m[k]'", 'z', "'b[-1]'"])}; echo "\${!a[@]} \${!b[@]}"`
    case 11:
      return `set -- ${many(random, 3, () => word(random))}; echo "$# $1"`
    default:
      return `${condition(random)}; echo "? $?"`
  }
}

function condition(random: Random): string {
  switch (random(9)) {
    case 0:
      return `[[ ${word(random)} == ${pattern(random)} ]]`
    case 1:
      return `[[ ${quotedParameter(random)} =~ ${pick(random, ['^f', 'o+', '(a|b)c*$', '[0-9]+', '^$', '(.)(.)'])} ]] && echo "\${BASH_REMATCH[*]}"`
    case 2:
      return `[ ${quotedParameter(random)} ${pick(
        random,
        ['=', '!=', '<', '>'].map((one) => (one.length === 1 && one !== '=' ? `\\${one}` : one)),
      )} ${quotedParameter(random)} ]`
    case 3:
      return `((${arithmetic(random, 2)}))`
    case 4:
      return `[ ${pick(random, ['-f', '-d', '-e', '-s', '-n', '-z'])} ${pick(random, ['f1', 'd', 'd/h.txt', 'nope', '"$x"', '"$empty"'])} ]`
    case 5:
      return `[[ ${pick(random, ['-n', '-z', '-v'])} ${pick(random, ['x', 'unset', 'empty'])} || ${word(random)} < ${word(random)} ]]`
    case 6:
      return `test ${pick(random, ['$y', '0', '-1', '7'])} ${pick(random, ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])} ${random(50)}`
    case 7:
      return pick(random, ['true', 'false', ':'])
    default:
      return `! [[ ${quotedParameter(random)} && ( -f f1 || ${quotedParameter(random)} != ${pattern(random)} ) ]]`
  }
}

function redirection(random: Random, always = false): string {
  // Messages go nowhere: they differ in the numbers of lines inside substitutions.
  outputs += 1
  const out = `out${outputs}`
  const all = [
    ` > ${out}`,
    ` >> ${out}`,
    ` > ${out} 2> /dev/null`,
    ' 1>&2',
    ` >| ${out}`,
    ` 3> ${out} >&3`,
    ' < f1',
    ' 2> /dev/null',
  ]
  return always || random(4) === 0 ? pick(random, all) : ''
}

/** Braces only in their own kind, so that other parts do not become one by accident. */
function word(random: Random): string {
  return many(random, 3, () => part(random), '')
}

function part(random: Random): string {
  switch (random(16)) {
    case 0:
    case 1:
    case 2:
      return expansion(random)
    case 3:
    case 4:
    case 5:
      return `"${pick(random, ['', ' ', 'q', '\\"', '\\$', '*'])}${expansion(random)}${pick(random, ['', ' ', '~', '\\\\'])}"`
    case 6:
      return `'${pick(random, [' ', 'a  b', '$x', '*', '', '\\', '"'])}'`
    case 7:
      return `$'${pick(random, ['\\t', 'a\\nb', "\\'", '\\x41', '\\u00e9', '\\101'])}'`
    case 8:
      return `$((${arithmetic(random, 2)}))`
    case 9:
      return `$(${pick(random, ['echo', "printf '%s'"])} ${many(random, 2, () => simple(random))})`
    case 10:
      return pick(random, ['{a,b}', '{1..3}', '{c..a}', '{01..3}', '{1..9..4}', '{x,{y,z}}', '{a,}', '{single}'])
    case 11:
      return pick(random, ['f*', '*.txt', 'd/*', '[fg]*', '?1', 'no*pe', '*/', '~/', '\\*', '\\ '])
    default:
      return simple(random)
  }
}

function simple(random: Random): string {
  const one = pick(random, letters)
  return one === '{' || one === '~' ? `\\${one}` : one
}

function quotedParameter(random: Random): string {
  return `"${expansion(random)}"`
}

function expansion(random: Random): string {
  const name = pick(random, [
    ...names,
    ...names,
    '1',
    '2',
    '3',
    '9',
    '@',
    '*',
    'a',
    'a[1]',
    'a[@]',
    'a[*]',
    'b[@]',
    'b[-1]',
    'm[k]',
    'm[k 2]',
  ])
  const isList = /[@*]/.test(name)
  switch (random(12)) {
    case 0:
    case 1:
    case 2:
      return `\${${name}}`
    case 3:
      return `\${#${name === '*' ? '@' : name}}`
    case 4:
      return `\${${name}${pick(random, [':-', '-', ':+', '+'])}${pick(random, ['', 'd', '$y', '"q r"', 'q r', `\${x:-n}`])}}`
    case 5:
      return `\${${name}${pick(random, ['#', '##', '%', '%%'])}${pattern(random)}}`
    case 6:
      return `\${${name}${pick(random, ['/', '//', '/#', '/%'])}${pattern(random).replaceAll('/', '\\/')}/${pick(random, ['', 'R', '$y', '"r s"'])}}`
    case 7:
      return `\${${name}${pick(random, ['^', '^^', ',', ',,'])}}`
    case 8:
      return isList
        ? `\${${name}:${random(4)}:${random(3)}}`
        : `\${${name}:${pick(random, ['0', '1', ' -2', 'y-41', '2'])}${pick(random, ['', ':1', ':2', ': -1'])}}`
    case 9:
      return pick(random, [
        '$x',
        '$y',
        '$1',
        '$#',
        '$@',
        '$*',
        '$?',
        `\${!a[@]}`,
        `\${!b[*]}`,
        `\${!empty}`,
        `\${#m[@]}`,
      ])
    case 10:
      return `\${${name}${pick(random, ['@Q', '@U', '@L', '@u'])}}`
    default:
      return `\${${pick(random, names)}}`
  }
}

function pattern(random: Random): string {
  const all = [
    '*',
    '?',
    'f*',
    '*o',
    '[a-f]*',
    '[!a]*',
    '[[:digit:]]*',
    '"*"',
    'foo',
    '"$x"',
    '$z',
    '\\*',
    'a?b',
    'o',
    '* ',
    '[[:space:]]',
    '??',
    '42',
    "''",
  ]
  return pick(random, all)
}

function arithmetic(random: Random, depth: number): string {
  if (depth === 0 || random(4) === 0) {
    const all = [
      '0',
      '1',
      '2',
      '7',
      '-3',
      '10',
      '0x1f',
      '010',
      '2#101',
      '16#fF',
      'y',
      'y',
      '$y',
      'n1',
      'b[9]',
      `\${#a[@]}`,
      'a2',
    ]
    return pick(random, all)
  }
  const left = arithmetic(random, depth - 1)
  const right = arithmetic(random, depth - 1)
  switch (random(8)) {
    case 0:
      return `(${left})`
    case 1:
      return `${pick(random, ['!', '~', '- ', '+ '])}(${left})`
    case 2:
      return `${left} ? ${right} : ${arithmetic(random, depth - 1)}`
    case 3:
      return `(y ${pick(random, ['=', '+=', '-=', '*=', '|=', '^=', '<<='])} (${right}) & 255)`
    case 4:
      return pick(random, ['y++', '++y', 'y--', '--y'])
    case 5:
      return `${left}, ${right}`
    default:
      return `${left} ${pick(random, ['+', '-', '*', '/', '%', '<', '>', '<=', '>=', '==', '!=', '&&', '||', '&', '|', '^'])} ${right}`
  }
}
