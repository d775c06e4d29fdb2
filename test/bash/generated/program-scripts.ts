/** Calls of the programs that scripts use most, on generated files, made from a seed. */
import type { Random } from '../../core/search/generated-trees.js'

const words = [
  'foo',
  'Foo',
  'bar',
  'foobar',
  'a.b',
  'x',
  'é',
  '10',
  '9',
  '2',
  '-3',
  '1.5',
  '0x1f',
  'a,b',
  'k=v',
  '[x]',
  'the',
  'END',
  '*',
  '\\n',
]
const gaps = [' ', ' ', '\t', ',', ':', '  ']

export function programScript(random: Random): string {
  const files = ['f', 'g', 'd/h'].map((name) => `cat > ${name} <<'EOF'\n${textFrom(random)}EOF\n`).join('')
  const calls = Array.from({ length: 4 }, () => `${call(random)}; echo "= $?"`).join('\n')
  return `mkdir -p d/e; ${random(3) === 0 ? 'touch d/e/empty d/.dot; ' : ''}\n${files}${calls}\n`
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

function some(random: Random, options: readonly string[], most = 2): string {
  return Array.from({ length: random(most + 1) }, () => pick(random, options)).join(' ')
}

function textFrom(random: Random): string {
  let text = ''
  for (let lines = random(9); lines > 0; lines -= 1) {
    const count = random(5)
    for (let index = 0; index < count; index += 1) text += (index > 0 ? pick(random, gaps) : '') + pick(random, words)
    text += '\n'
  }
  return text
}

function call(random: Random): string {
  const made = pick(random, [grep, grep, sed, sed, awk, awk, sort, sort, cut, tr, ends, uniq, find, xargs, small])(
    random,
  )
  return random(5) === 0
    ? `${made} | ${pick(random, ['sort', 'wc', 'wc -l', 'head -n 2', 'tail -n 1', 'uniq -c', 'cat -A', 'tac', 'nl', 'tr a-z A-Z'])}`
    : made
}

function inputs(random: Random): string {
  return pick(random, ['f', 'f g', 'g d/h', '- < f', 'f nope g'])
}

/** A regular expression; `extended` decides how its operators are written. */
function regex(random: Random, extended: boolean): string {
  const op = (text: string) => (extended ? text : text.replace(/[+?|(){}]/g, '\\$&'))
  const atoms = [
    'o',
    'a',
    'foo',
    '.',
    '[a-f]',
    '[^,]',
    '[[:digit:]]',
    '[[:upper:]]',
    '\\w',
    '\\b',
    '\\.',
    'é',
    'x',
    '10',
    '\\<',
    '\\s',
    op('(a|b)'),
    op('(o)'),
    op('(fo|foo)'),
  ]
  let made = random(6) === 0 ? '^' : ''
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const atom = pick(random, atoms)
    // Repeated edges of words differ from version to version.
    const canRepeat = !['\\b', '\\<'].includes(atom)
    made += atom + (canRepeat ? pick(random, ['', '', '', '', '*', op('+'), op('?'), op('{1,2}'), op('{2}')]) : '')
  }
  if (random(6) === 0) made += '$'
  return made
}

function grep(random: Random): string {
  const options = some(
    random,
    ['-i', '-v', '-n', '-c', '-o', '-w', '-x', '-h', '-H', '-l', '-L', '-m1', '-q', '-s', '-A1', '-B1', '-C1', '-b'],
    3,
  )
  // -o with -v, -b or context prints what no script relies on.
  const clean = options.includes('-o') ? options.replaceAll(/-[vbABC]1?/g, '') : options
  const kind = random(4)
  if (kind === 0) return `grep -F ${clean} ${quote(pick(random, ['foo', 'a.b', '*', 'o', '[x]']))} ${inputs(random)}`
  const pattern = quote(regex(random, kind === 1))
  if (kind === 2) return `grep -r ${clean} ${pattern} d | sort`
  return `grep ${kind === 1 ? '-E' : ''} ${clean} -e ${pattern} ${random(4) === 0 ? '-e bar' : ''} ${inputs(random)}`
}

function sed(random: Random): string {
  const extended = random(2) === 0
  const address = () => {
    const one = () => pick(random, ['1', '2', '3', '$', `/${regex(random, extended)}/`, '0~2', '1~3'])
    const kind = random(6)
    if (kind < 2) return ''
    if (kind < 4) return one() + pick(random, ['', '!'])
    return `${pick(random, ['1', '2', '/o/', '/^$/'])},${pick(random, ['3', '$', '/x/', '+1', '~2'])}${pick(random, ['', '!'])}`
  }
  const command = (): string => {
    const made = random(15)
    if (made < 6)
      return `s/${regex(random, extended)}/${pick(random, ['', 'R', '[&]', '\\U&', 'a\\nb', '\\u&x', '&&'])}/${pick(random, ['', 'g', 'p', '2', 'I', 'gI', '2g'])}`
    const others = [
      'd',
      'p',
      '=',
      'y/abo/ABO/',
      'n',
      'N',
      'q',
      'D',
      'G',
      'h',
      'x',
      'H',
      'a\\text',
      'i\\text',
      'c\\text',
      'l',
      '{p;p}',
      's/o/0/;ta;s/$/!/;:a',
      '$!N;P;D',
      'F',
      'z',
    ]
    return pick(random, others)
  }
  const script = Array.from({ length: 1 + random(2) }, () => `-e ${quote(address() + command().replace(':a', ':a'))}`)
  const labels = script.filter((one) => one.includes(':a')).length
  const used = labels > 1 ? script.slice(0, 1) : script
  return `sed ${pick(random, ['', '-n', '-s', '-z', ''])} ${extended ? '-E' : ''} ${used.join(' ')} ${inputs(random)}`
}

function awk(random: Random): string {
  const condition = () =>
    pick(random, [
      '',
      '',
      'NR==2',
      'NR%2',
      '/o/',
      '!/o/',
      '$1>$2',
      '$2=="bar"',
      'NF>1',
      'NR==1,/o/',
      '$1 ~ /^[a-f]/',
      'length > 4',
      '$1+0 > 2',
      '!seen[$1]++',
      'FNR==NR',
    ])
  const action = () =>
    pick(random, [
      '{print $1}',
      '{print $NF, NR}',
      '{print $2,$1}',
      '{$2="X"; print}',
      '{s+=$1} END{print s}',
      '{c[$1]++} END{for(k in c) print k, c[k] | "sort"}',
      '{gsub(/o/,"0"); print}',
      '{print length($0), toupper($1)}',
      '{printf "%s|%5d|%-4s|%.2f\\n", $1, $2, $1, $1}',
      '{n=split($0,p,/[,:]/); print n, p[1]}',
      '{print substr($0,2,3), index($0,"o")}',
      '{sub(/[a-z]+/,"<&>"); print}',
      '{print match($0,/o+/), RSTART, RLENGTH}',
      '{NF=2; print}',
      '{print ($1<$2), $1*2, $1/4, $1%3, -$1, !$1}',
      '{print $1 $2; next} {print "no"}',
      'BEGIN{OFS="-"} {$1=$1; print}',
      '{a[NR]=$0} END{for(i=NR;i>0;i--) print a[i]}',
      '{print FILENAME, FNR}',
      '{print gensub(/(.)o/,"\\\\1_","g")}',
      '{x = x $1} END{print x, length(x)}',
      '{if ($1 == 10) print "ten"; else if ($1 ~ /x/) print "x"; else print $1 ? "t" : "f"}',
    ])
  const separator = pick(random, ['', '', '-F,', '-F:', "-F'[,:]'", "-F'\\t'", '-F o', '-v v=1'])
  const dialect = pick(random, ['', '', '', '--posix', '-c'])
  return `awk ${dialect} ${separator} ${quote(condition() + action())} ${pick(random, ['f', 'f g', 'g', '- < f'])}`
}

function sort(random: Random): string {
  const options = some(
    random,
    [
      '-n',
      '-r',
      '-u',
      '-f',
      '-b',
      '-s',
      '-V',
      '-g',
      '-h',
      '-k2',
      '-k2,2',
      '-k1,1n',
      '-k2nr',
      '-k1.2,1.3',
      '-d',
      '-i',
      '-M',
    ],
    3,
  )
  // Two kinds of order at once are refused, with a message that is not compared; -i and -d agree only with themselves.
  const kinds = options.match(/-[nghVMdi]\b/g) ?? []
  const clean = new Set(kinds).size > 1 ? '-n' : options
  return `sort ${clean} ${pick(random, ['', '-t,', "-t' '", '-t:'])} ${inputs(random)}`
}

function cut(random: Random): string {
  const list = pick(random, ['1', '2', '1,3', '2-', '-2', '1-2,4', '3-3', '5'])
  return pick(random, [
    `cut -d${pick(random, [',', ':', "' '"])} -f${list} ${pick(random, ['', '-s', '--complement', '--output-delimiter=+'])} ${inputs(random)}`,
    `cut -c${list} ${pick(random, ['', '--complement'])} ${inputs(random)}`,
    `cut -b${list} f`,
    `cut -f${list} ${inputs(random)}`,
  ])
}

function tr(random: Random): string {
  const set = () =>
    pick(random, [
      'a-f',
      'A-Z',
      "'[:lower:]'",
      'o',
      'fo',
      "'[:digit:]'",
      "' \\t'",
      "'[:space:]'",
      "'[:alnum:]'",
      "'\\n'",
      'a-z',
      ',:',
    ])
  const made = pick(random, [
    `-d ${set()}`,
    `-s ${set()}`,
    `-cd ${set()}`,
    `${pick(random, ['a-z', 'o', 'fo', "' ,'"])} ${pick(random, ['A-Z', 'x', 'xyz', "'\\n'"])}`,
    `-s ${set()} x`,
    `-c a-z x`,
    "'[:lower:]' '[:upper:]'",
    `-ds a o`,
  ])
  return `tr ${made} < f`
}

function ends(random: Random): string {
  const count = pick(random, ['1', '2', '0', '5', '+2', '-1', '-2'])
  const program = pick(random, ['head', 'tail'])
  const own = program === 'head' ? count.replace('+', '') : count
  return `${program} ${pick(random, [`-n ${own}`, `-c ${own}`, '', `-q -n ${own}`, `-v -n ${own}`])} ${inputs(random)}`
}

function uniq(random: Random): string {
  return `${pick(random, ['sort f |', 'cat f g |', 'sort -f f g |'])} uniq ${some(random, ['-c', '-d', '-u', '-i', '-f1', '-s1', '-w2', '-D'], 2)}`
}

function find(random: Random): string {
  const test = () =>
    pick(random, [
      "-name 'h*'",
      '-type f',
      '-type d',
      "-path '*e*'",
      '-empty',
      '-maxdepth 1',
      '-mindepth 1',
      '-name f -o -name g',
      "! -name '*.*'",
      '-size 0',
      "-iname 'H'",
      "-regex '.*/[gh]'",
      '\\( -type d -name e \\)',
      '-name d -prune -o -type f',
    ])
  const depths: string[] = []
  const others: string[] = []
  for (let count = random(3); count >= 0; count -= 1) {
    const one = test()
    if (one.includes('depth')) depths.push(one)
    else others.push(one)
  }
  const action = pick(random, [
    '',
    '',
    '-print',
    "-printf '%p %y %f\\n'",
    "-exec echo '{}' ';'",
    '-print0 | tr "\\0" "\\n"',
    "-printf '%P:%d:%h\\n'",
  ])
  // The order of a directory is not the same everywhere.
  return `find ${pick(random, ['.', 'd', 'd/ f', 'nope d'])} ${depths.join(' ')} ${others.join(' ')} ${action} | sort`
}

function xargs(random: Random): string {
  const from = pick(random, ['f', 'g', 'd/h'])
  return pick(random, [
    `tr -d "'\\"\\\\\\\\" < ${from} | xargs ${pick(random, ['', '-n 2', '-n1 echo x', '-L 1', '-t echo', '-r echo', "-I{} echo '<{}>'", '-d "\\n" -n1 echo', '-d , echo', '-n 3 printf "%s|"'])}`,
    `find . -name '[fgh]' | sort | xargs ${pick(random, ['cat', 'wc -l', 'grep -c o', 'grep -l foo', 'head -qn1', '-I@ echo @ @', 'ls'])}`,
    `printf 'a b\\0c\\0' | xargs -0 ${pick(random, ['-n1', '', '-I{} echo [{}]'])}`,
  ])
}

function small(random: Random): string {
  return pick(random, [
    'wc f g',
    'wc -lwc f',
    'wc -m f',
    'tac f',
    'nl f',
    'nl -ba f',
    'cat -n f g',
    'cat -A f',
    'rev f',
    'paste f g',
    'paste -sd, f',
    'comm <(sort f) <(sort g)',
    'join <(sort f) <(sort g)',
    'fold -w 5 f',
    'diff f g',
    'diff -u f g | tail -n +3',
    'cmp f g',
    'expand f',
    'column -t f',
    'fmt -w 20 f',
    'seq 3 | paste - f',
    'sum=$(cksum < f); echo $sum',
    'md5sum f',
    'od -c f',
    'base64 f',
    'split -l 2 f part-',
    'tee copy < f',
    'strings f',
  ])
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
