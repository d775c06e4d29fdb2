/** Scripts about variables, made from a seed: arrays and their subscripts, attributes, scopes, references, expansions. */
import type { Random } from '../../core/search/generated-trees.js'

const start = `x='foo bar' y=42 z=a*b empty= i=1 k=one
a=(one two-words '' four) b=([3]=three [7]='s e')
declare -A m=([one]=1 ['k 2']='v 2')
set -- p1 'p 2' '' p4
`

/** What is printed when something went well, or not. */
const status = 'echo "? $?"'

export function variableScript(random: Random): string {
  const lines = Array.from({ length: 4 + random(5) }, () => line(random))
  const before = pick(random, ['', '', '', '', 'set -u\n', 'IFS=,\n', 'IFS=\n', 'shopt -s extglob\n'])
  return `${start}${before}${lines.join('\n')}\ndeclare -p x y i a b m\n`
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

function many(random: Random, most: number, make: () => string, between = ' '): string {
  return Array.from({ length: 1 + random(most) }, make).join(between)
}

const families = [table, list, declaration, scopes, reference, calculation, expansion, expansion, joined, element]

function line(random: Random): string {
  return pick(random, families)(random)
}

const words = [
  'one',
  'two',
  'k 2',
  'é',
  '日本',
  '1',
  '10',
  'a.b',
  '@',
  '*',
  '-',
  '~',
  '[x]',
  "it's",
  'a"b',
  'a\\b',
  'x=y',
  '#',
]

function quotedWord(random: Random): string {
  return `'${pick(random, words).replaceAll("'", "'\\''")}'`
}

function value(random: Random): string {
  return pick(random, [
    'v',
    '7',
    '$x',
    '"$x"',
    "'q  r'",
    '"$y"',
    '',
    `\${#a[@]}`,
    `"\${a[1]}"`,
    '$((i + 2))',
    '{p,q}',
    '*',
    '~',
    '\\&',
  ])
}

/** An associative array. */
function table(random: Random): string {
  const key = quotedWord(random)
  const name = pick(random, ['m', 'm', 'n'])
  return pick(random, [
    () => `k=${key}; m[$k]=${value(random)}; declare -p m`,
    () =>
      `for w in ${many(random, 12, () => quotedWord(random))} k{1..${1 + random(40)}}; do m["$w"]+=x; done; echo "\${!m[@]}"`,
    () => `k=${key}; unset 'm[$k]'; ${status}; echo "\${m[@]}" "\${#m[@]}"`,
    () => `k=${key}; m[$k]=5; (( m[$k]++ )); ${status}; echo "\${m[$k]}" "$((m[$k] + 1))"`,
    () => `k=${key}; [[ -v m[$k] ]]; ${status}; [[ -v 'm[$k]' ]]; ${status}; test -v 'm[one]'; ${status}`,
    () =>
      `declare -A n=(${many(random, 4, () => `[${quotedWord(random)}]=${value(random)}`)}); declare -p n; n+=([one]+=z); echo "\${!n[@]}|\${n[*]@K}"`,
    () => `declare -A n; n=(${many(random, 5, () => quotedWord(random))}); declare -p n`,
    () =>
      `k=${key}; printf -v 'm[$k]' '<%s>' ${value(random)}; ${status}; read 'm[$k]' <<< ${value(random)}; declare -p m`,
    () =>
      `declare -A n; for w in "\${!m[@]}"; do n[$w]=\${m[$w]}; done; declare -p n; printf '<%s>' "\${n[@]@k}"; echo`,
    () =>
      `${name}[one]=1; unset ${name}; ${name}=5; declare -p ${name}; declare -A ${name}; ${name}[z]=1; declare -p ${name}; unset ${name}; declare -A m`,
    () => `echo "\${m[@]:1:2}" "\${m[*]@Q}" "\${m[@]#v}" "\${m[nope]-none}" "\${m[one]:=set}"`,
  ])()
}

/** An indexed array. */
function list(random: Random): string {
  const index = pick(random, [
    '0',
    '1',
    '3',
    'i',
    'i+1',
    '$i',
    '-1',
    '"2"',
    `\${#a[@]}`,
    'a[0]',
    'i++',
    '$((i * 2))',
    '-9',
    'y-40',
  ])
  const name = pick(random, ['a', 'b'])
  return pick(random, [
    () => `${name}[${index}]=${value(random)}; ${status}; declare -p ${name}`,
    () => `${name}[${index}]+=${value(random)}; declare -p ${name}`,
    () => `echo "\${${name}[${index}]}" "\${#${name}[@]}" "\${!${name}[@]}" $i`,
    () => `unset '${name}[${index}]'; ${status}; declare -p ${name}`,
    () =>
      `${name}=(${many(random, 4, () => pick(random, [value(random), `[${1 + random(9)}]=${value(random)}`]))}); declare -p ${name}`,
    () => `${name}+=(${many(random, 3, () => value(random))}); declare -p ${name}`,
    () => `echo "\${${name}[@]:${random(4)}:${random(3)}}" "\${${name}[*]: -2}" "\${${name}[@]: -9:2}"`,
    () => `set +u; (( ${name}[${index}] += 3 )); ${status}; declare -p ${name}`,
    () =>
      `[[ -v ${name}[${index.replace('a[0]', 'i')}] ]]; ${status}; [[ -v ${name}[@] ]]; ${status}; [[ -v ${name} ]]; ${status}`,
    () => `read -ra ${name} <<< ${value(random)}; declare -p ${name}; mapfile -t ${name} <<< "$x"; declare -p ${name}`,
    () => `c=("\${${name}[@]}"); declare -p c; c=\${${name}[*]}; declare -p c; unset c`,
  ])()
}

/** Attributes. */
function declaration(random: Random): string {
  const name = pick(random, ['d', 'e', 'y', 'x'])
  const flags = pick(random, [
    '',
    '-i',
    '-l',
    '-u',
    '-x',
    '-a',
    '-A',
    '-ia',
    '-lx',
    '-Au',
    '+i',
    '+x',
    '-ai',
    '-g',
    '--',
  ])
  return pick(random, [
    () =>
      `declare ${flags} ${name}; ${status}; declare -p ${name}; ${name}=${value(random)}; ${name}+=${value(random)}; declare -p ${name}`,
    () => `declare ${flags} ${name}=${value(random)}; ${status}; declare -p ${name}`,
    () =>
      `declare ${flags} d${random(3)}=(${many(random, 3, () => value(random))}) 2> /dev/null; ${status}; declare -p d0 d1 d2`,
    () =>
      `declare -${pick(random, ['i', 'u', 'l', 'x'])} ${name}; ${name}=3+4; echo "\${${name}@a} \${${name}@A}"; declare +${pick(random, ['i', 'u', 'l', 'x'])} ${name}; declare -p ${name}`,
    () =>
      `r${random(3)}=1; readonly r${random(3)}${pick(random, ['', '=2'])}; ${status}; (r0=5; echo no); ${status}; declare -p r0 r1 r2`,
    () =>
      `export ${name}=${value(random)} ${pick(random, ['', "'q[1]=2'", '1z'])}; ${status}; export -n ${name}; declare -p ${name}`,
    () =>
      `unset ${name}; ${status}; declare -p ${name}; declare ${name}; declare -p ${name}; echo "\${${name}-unset}"; ${name}=1`,
    () => `typeset -a 's[i]=x' s[2]=y; declare -p s; unset s`,
  ])()
}

/** Functions, `local`, `unset` and assignments before commands. */
function scopes(random: Random): string {
  const declared = pick(random, [
    'local x',
    'local x=in',
    'local x=$x',
    'local -i x=2+2',
    'local -a x=(1 2)',
    'local -I x',
    'declare x',
    'local x y=in',
    'local -x x=in',
  ])
  const inner = pick(random, [
    'unset x',
    'drop x',
    'x=set',
    'x+=more',
    'local x=again',
    'unset x; x=new',
    'drop x; x=new',
    'declare -g x=global',
    'export x',
    ':',
  ])
  const call = pick(random, [
    'f',
    'f',
    'x=temp f',
    "x=temp eval 'f'",
    "x=temp eval 'local_ f'",
    'local_ f',
    'x=temp local_ f',
    '(f)',
    'x=temp y=t f',
  ])
  return [
    `drop() { unset "$1"; }; local_() { local x=outer; "$@"; echo "after \${x-unset}"; }`,
    `show() { echo "show \${x-unset} \${x[*]-}"; }`,
    `f() { ${declared}; show; ${inner}; show; declare -p x; ${pick(random, ['', 'drop x; show', 'unset x; show'])}; }`,
    `${call}; echo "${`\${x-unset}`}" "$y"; x='foo bar' y=42; unset -f f; export -n x y`,
  ].join('\n')
}

/** `declare -n` and `${!name}`. */
function reference(random: Random): string {
  const target = pick(random, ['x', 'y', 'a', 'm', 'a[1]', 'a[$i]', 'm[one]', 'm[$k]', 'nope', 'b[-1]'])
  const use = pick(random, [
    'echo "$r"',
    'r=new; echo "$r"',
    'r+=more',
    '((r++))',
    `echo "\${!r}" "\${r:-d}" "\${r#o}"`,
    'unset r',
    'unset -n r',
    'read r <<< z',
    '[[ -v r ]]',
    '[[ -R r ]]',
  ])
  return pick(random, [
    () => `declare -n r='${target}'; ${use}; ${status}; declare -p r x y a m; unset -n r`,
    () =>
      `declare -n r=${pick(random, ['a', 'b', 'm', 'new'])}; r[${random(4)}]=${value(random)}; echo "\${r[@]}" "\${!r[@]}" "\${#r[@]}"; unset -n r; unset new`,
    () =>
      `g() { local -n r=$1; r=(${many(random, 3, () => value(random))}); r[5]=six; echo "\${r[*]}"; }; g ${pick(random, ['a', 'b', 'new'])}; declare -p a b; unset new`,
    () =>
      `g() { local -n r=$1; r=${value(random)}; local x=inner; echo "$r"; }; g ${pick(random, ['x', 'y', 'i'])}; echo "$x $y"; i=1 y=42`,
    () => `declare -n r; for r in x y; do echo "\${!r}=$r"; done; unset -n r`,
    () => `r='${target}'; echo "\${!r}" "\${!r-d}" "\${!r:-e}" "\${!r@Q}" "\${!r:1:2}"; ${status}; unset r`,
    () =>
      `r='${pick(random, ['a[@]', 'a[*]', 'm[@]', '@', '*', '#', '2', '1'])}'; printf '<%s>' "\${!r}" \${!r}; echo; unset r`,
    () => `ab_1=1 ab_2='2 3'; printf '<%s>' "\${!ab_@}" \${!ab_*} "\${!ab_*}"; echo; unset ab_1 ab_2`,
  ])()
}

function calculation(random: Random): string {
  const operand = () =>
    pick(random, [
      'i',
      'y',
      '3',
      '-2',
      '0x1f',
      '010',
      'a[2]',
      'm[one]',
      `\${#a[@]}`,
      '$i',
      'b[9]',
      '2#101',
      'i++',
      '--y',
      "m['one']",
      '(y, 2)',
    ])
  const operation = () =>
    `${operand()} ${pick(random, ['+', '-', '*', '/', '%', '**', '<', '==', '&&', '||', '&', '|', '^', '<<', '>>', ','])} ${operand()}`
  const simple = () => operation().replaceAll(`\${#a[@]}`, 'i').replaceAll('$i', 'i')
  return pick(random, [
    () => `echo $((${operation()})); ${status}`,
    () =>
      `(( ${pick(random, ['i', 'y', 'q', 'a[1]', 'm[one]', 'm[$k]'])} ${pick(random, ['=', '+=', '-=', '*=', '|=', '<<='])} ${operation()} )); ${status}; echo $i $y`,
    () => `let "${operation()}" 'q = i + 1'; ${status}; echo "\${q-}"; i=1 y=42`,
    () => `e="${simple()}"; echo $((e)) $((e * 2)) "\${a[e % 4]}"; ${status}; i=1 y=42`,
    () => `for ((j = ${random(3)}; j < ${random(5)}; j += 1 + i % 2)); do echo "j$j"; done; echo $j`,
    () => `echo $(( ${operand()} ? ${operand()} : ${operand()} )) $((${operand()} + $(echo ${random(9)})))`,
  ])()
}

/** `${…}` */
function expansion(random: Random): string {
  const name = pick(random, [
    'x',
    'y',
    'z',
    'empty',
    'unset',
    '1',
    '2',
    'a',
    'a[1]',
    'a[@]',
    'a[*]',
    'b[@]',
    'm[one]',
    'm[@]',
    '@',
    '*',
    'b[-1]',
    'a[$i]',
    'm[$k]',
  ])
  const isList = /[@*]/.test(name)
  const pattern = pick(random, ['o', 'o*', '*o', '?', '[a-f]', ' ', '"*"', '$z', 'two', '', '[[:alpha:]]'])
  const operation = pick(random, [
    '@Q',
    '@U',
    '@u',
    '@L',
    '@a',
    '@A',
    '@E',
    '@K',
    '@k',
    '^',
    '^^',
    ',,',
    '~~',
    ':-d e',
    '-d',
    ':+s',
    '+s',
    `#${pattern}`,
    `##${pattern}`,
    `%${pattern}`,
    `%%${pattern}`,
    `/${pattern}/R`,
    `//${pattern}/[&]`,
    `//${pattern}/\\&`,
    `/#${pattern}/"&"`,
    `/%${pattern}/$x`,
    `//${pattern}`,
    isList ? `:${random(4)}` : `:${pick(random, ['1', ' -2', 'i', '0:2', '1:-1', 'y-41:1'])}`,
  ])
  return pick(random, [
    () => `printf '<%s>' "\${${name}${operation}}" \${${name}${operation}}; echo`,
    () => `printf '<%s>' "[\${${name}${operation}}]"; echo "\${#${name}}"`,
    () => `v=\${${name}${operation.replace('@A', '@Q')}}; declare -p v; unset v`,
    () =>
      `case "\${${name}${operation}}" in ${pattern === '' ? "''" : pattern.replace(' ', "' '")}) echo yes ;; *) echo no ;; esac`,
  ])()
}

/** Splitting and joining. */
function joined(random: Random): string {
  const separators = pick(random, ["','", "' '", "':'", "''", "' ,'", "$'\\n'", 'o'])
  const text = pick(random, ["'a,b,,c'", "' p  q '", "'x:y::'", "', ,'", '"$x"', '"foo,bar baz"'])
  return pick(random, [
    () => `(IFS=${separators}; v=${text}; printf '<%s>' $v "$v" "\${a[*]}" \${a[*]} \${a[@]} "$*" $*; echo)`,
    () => `(IFS=${separators}; set -- $(echo ${text}) ${text}; echo "$# $*"; v="\${a[*]}"; w=$*; echo "[$v][$w]")`,
    () =>
      `IFS=${separators} read -r p q <<< ${text}; echo "[\${p-}|\${q-}]"; IFS=${separators} read -ra c <<< ${text}; declare -p c; unset p q c`,
    () => `(IFS=${separators}; echo "\${!m[*]}" \${!a[*]} "\${!b[@]}"; for w in \${m[@]}; do echo "<$w>"; done)`,
  ])()
}

/** One element, with what happens once and in which order. */
function element(random: Random): string {
  return pick(random, [
    () => `a[i++]=$i; echo $i; declare -p a; i=1`,
    () => `(( a[i++] += 10, b[i--]++ )); echo $i; declare -p a b; i=1`,
    () => `t() { echo "call $1" >&2; echo ${random(3)}; }; a[$(t 1)]=$(t 2); declare -p a; unset -f t`,
    () => `s=abcdef; echo "\${s:a[9]:2}" "\${s:i}" "\${s:i:i+1}" "\${s: -i}"; unset s`,
    () => `b=("\${b[@]}" end); declare -p b; b=([1]=x); b[0]=w; declare -p b`,
    () => `unset 'a[0]' 'a[1]'; a+=(next); a[-1]+=more; declare -p a; echo "\${a[0]-gone} \${#a[0]}"`,
    () => `a=5; m=7; declare -p a m; a+=6; m+=8; echo "$a \${m}" "\${a[0]}" "\${m[0]}"`,
    () => `echo "$_"; : last; echo "$_"; v=1; echo "[$_]"; unset v`,
  ])()
}
