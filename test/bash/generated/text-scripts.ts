/** Longer scripts of awk, sed, grep, find, sort, cut and tr on generated text, made from a seed. */
import type { Random } from '../../core/search/generated-trees.js'

const words = ['foo', 'Bar', 'a.b', 'x', 'é', '10', '9', '-3', '1.5', '007', '1e2', 'k=v', 'oo', 'ab', 'aab', '+5']
const gaps = [' ', ' ', '\t', ',', ':', '  ', ', ']

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

function several(random: Random, least: number, most: number, make: () => string, between: string): string {
  return Array.from({ length: least + random(most - least + 1) }, make).join(between)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

export function textScript(random: Random): string {
  const line = () => several(random, 0, 5, () => pick(random, words), pick(random, gaps))
  const text = () => several(random, 0, 8, line, '\n')
  const end = pick(random, ['\\n', '\\n', '\\n', ''])
  const files = ['f', 'g'].map((name) => `printf '%b' ${quote(`${text().replaceAll('\\', '')}${end}`)} > ${name}`)
  const locale = random(8) === 0 ? 'export LC_ALL=C\n' : ''
  const calls = Array.from({ length: 3 }, () => {
    const made = pick(random, [awk, awk, awk, sed, sed, sed, grep, grep, find, sort, cut, tr])(random)
    return `${made}; echo "= $?"`
  })
  return `${locale}mkdir -p d/e; touch d/.h d/e/x.txt\n${files.join('\n')}\ncp f d/a.c; cp g d/e/b.h\n${calls.join('\n')}\n`
}

/** An expression of awk, up to a depth. */
function expression(random: Random, depth: number): string {
  const atom = () =>
    pick(random, [
      '$1',
      '$2',
      '$NF',
      '$0',
      'NR',
      'NF',
      'x',
      'y',
      'a[1]',
      'a["k"]',
      '1',
      '0',
      '2.5',
      '"3x"',
      '"ab"',
      '""',
      '"10"',
    ])
  if (depth === 0) return atom()
  const one = () => expression(random, depth - 1)
  const kind = random(12)
  if (kind < 3) return `${one()} ${pick(random, ['+', '-', '*', '%', '^'])} ${one()}`.replace(/([%^]) .*/, '$1 3')
  if (kind < 5) return `(${one()} ${pick(random, ['<', '<=', '==', '!=', '>', '>=', '&&', '||', '~', '!~'])} ${one()})`
  if (kind === 5) return `(${one()} ? ${one()} : ${one()})`
  if (kind === 6) return `(${one()} ${one()})`
  if (kind === 7) return `${pick(random, ['!', '-', '+'])}${atom()}`
  if (kind === 8) return `(${pick(random, ['x', 'y', 'a[1]', '$2'])} ${pick(random, ['=', '+=', '-=', '*='])} ${one()})`
  if (kind === 9) return pick(random, ['x++', '++y', 'x--', 'a["k"]++', '$1++', 'NF--', '--$2'])
  return pick(random, [
    `length(${one()})`,
    `substr(${one()}, ${random(4) - 1}, ${random(4)})`,
    `index(${one()}, "o")`,
    `toupper(${one()})`,
    `int(${one()})`,
    `sprintf("${format(random)}", ${one()})`,
    `split(${one()}, p, /[,:o]/)`,
    `match(${one()}, /${regex(random)}/)`,
    `gsub(/${regex(random)}/, "${pick(random, ['<&>', '', '\\\\&', 'Z'])}", x)`,
    `gensub(/${regex(random)}/, "[\\\\0]", ${pick(random, ['"g"', '1', '2'])}, ${pick(random, ['$0', '$1 ""', 'x "o"'])})`,
    `f(${one()} "")`,
    `(${one()} in a)`,
  ])
}

function format(random: Random): string {
  return `%${pick(random, ['', '-', '0', '+', ' ', '#'])}${pick(random, ['', '3', '8'])}${pick(random, ['', '.0', '.2'])}${pick(random, ['d', 's', 'c', 'x', 'o', 'f', 'e', 'g', 'i', 'u', 's'])}`
}

/** Of the parts that all three dialects share. */
function regex(random: Random): string {
  const atoms = ['o', 'a', 'b', '.', '[a-f]', '[^,]', '[[:digit:]]', '[[:upper:]]', '\\.', '1']
  const body = several(random, 1, 3, () => pick(random, atoms) + pick(random, ['', '', '', '*']), '')
  return `${random(5) === 0 ? '^' : ''}${body}${random(6) === 0 ? '$' : ''}`
}

function awk(random: Random): string {
  const value = () => expression(random, random(3))
  const statement = (depth: number): string => {
    const inner = () => statement(depth - 1)
    const kind = random(depth === 0 ? 5 : 11)
    if (kind < 3) return `print ${several(random, 1, 3, value, ', ')}`.replace(/ (>=?) /g, ' < ')
    if (kind === 3)
      return `printf "${format(random)}|${format(random)}\\n", ${value()}, ${value()}`.replace(/ (>=?) /g, ' < ')
    if (kind === 4) return `${pick(random, ['x', 'y', 'a[NR]', '$2', 'a[$1]'])} = ${value()}`
    if (kind === 5) return `if (${value()}) { ${inner()} } else { ${inner()} }`
    if (kind === 6) return `for (i = 1; i <= NF; i++) { ${inner()}; if (i > 3) break }`
    if (kind === 7) return `for (k in a) s = s k; print length(s)`
    if (kind === 8) return `n = 0; while (n++ < 2) { ${inner()} }`
    if (kind === 9)
      return pick(random, [
        'next',
        'delete a[1]',
        'delete a',
        'NF = 2',
        '$3 = "n"',
        '$0 = x " q"',
        'getline',
        'getline y',
      ])
    return `do { ${inner()} } while (m++ < 1)`
  }
  const pattern = () =>
    pick(random, [
      '',
      '',
      'NR > 1',
      `/${regex(random)}/`,
      `$1 ~ /${regex(random)}/`,
      'NR==1,/o/',
      '!a[$1]++',
      'END ',
      'BEGIN ',
    ])
  const rule = () => `${pattern()}{ ${several(random, 1, 2, () => statement(2), '; ')} }`
  const rules = several(random, 1, 3, rule, '\n')
    .replace(/BEGIN \{(.*)\b(?:next|getline y|getline)\b/g, 'BEGIN {$1x = 1')
    .replace(/END \{(.*)\bnext\b/g, 'END {$1x = 1')
  const options = pick(random, [
    '',
    '',
    '-F,',
    '-F:',
    "-F '[,:]'",
    '-F o',
    '-v x=5',
    '-v OFS=-',
    '-v RS=',
    "-v RS=':|,'",
    "-v FS=''",
    '-v SUBSEP=: -v CONVFMT=%.2g',
    '-v IGNORECASE=1',
    "-v FPAT='[a-z]+'",
    "-v FIELDWIDTHS='2 1 3'",
  ])
  return `awk ${options} ${quote(`${rules}\nfunction f(z, w) { w = z z; return w }`)} ${pick(random, ['f', 'f g', '- < f', 'f y=7 g'])}`
}

function sed(random: Random): string {
  const extended = random(2) === 0
  const group = extended ? ['(', ')', '+'] : ['\\(', '\\)', '\\+']
  const source = () =>
    pick(random, [
      regex(random),
      regex(random),
      `${group[0]}${regex(random).replace(/[$^]/g, '')}${group[1]}`,
      `[a-z]${group[2]}`,
      '',
      '$',
      '^',
    ])
  const address = (): string => {
    const one = () =>
      pick(random, ['1', '2', '3', '$', `/${regex(random)}/`, `/${regex(random)}/I`, '0~2', '2~3', '\\,o,'])
    const kind = random(7)
    if (kind < 2) return ''
    if (kind < 4) return one() + pick(random, ['', '!', ' '])
    return `${pick(random, ['1', '2', '0', '/o/', '$']).replace('0', '1')},${pick(random, ['1', '3', '$', '/o/', '+1', '~2', '/x/I'])}${pick(random, ['', '!'])}`
  }
  const right = () =>
    pick(random, ['', 'R', '[&]', '\\U&', '\\u&\\n', '&&', '\\L&\\E!', '\\t', 'a\\&b', '/'.replace('/', '\\/')])
  const command = (): string => {
    const kind = random(14)
    if (kind < 6) {
      const from = source()
      return `s/${from || 'o'}/${right()}${from.includes('(') ? pick(random, ['', '\\1', '\\u\\1']) : ''}/${pick(random, ['', 'g', 'p', '2', 'I', '2g', 'gI', 'm', 'w out'])}`
    }
    return pick(random, [
      'd',
      'p',
      '=',
      'y/abo/ABO/',
      'n',
      'N',
      'D',
      'P',
      'G',
      'h',
      'H',
      'x',
      'g',
      'a\\\ntwo\\\nlines',
      'a text',
      'i\\text',
      'c new',
      'l',
      'l 5',
      'z',
      'r g',
      'R g',
      'w out',
      'W out',
      '{p;h;d}',
      '{=;n;s/o/0/;}',
      'tl',
      'Tl',
      'bl',
      'b',
      'N',
      'y/,:/\\n\\t/',
    ])
  }
  const body = several(random, 1, 4, () => address() + command(), '\n')
  // With two addresses they are refused, and the files of `w` are there already.
  const ending =
    random(4) === 0 ? `\n${pick(random, ['', '2', '$', '/o/'])}${pick(random, ['q', 'q3', 'Q', 'Q4'])}` : ''
  const labels = /[tTb]l$/m.test(body) ? `${body}${ending}\n:l` : body + ending
  return `sed ${pick(random, ['', '', '-n', '-s', '-z', '-u', '-l 8', '--posix']).replace('--posix', '')} ${extended ? '-E' : ''} ${quote(labels)} ${pick(random, ['f', 'f g', '- < f', 'f nope g', 'g f'])}; cat out 2> /dev/null`
}

function grep(random: Random): string {
  const options = several(
    random,
    0,
    4,
    () =>
      pick(random, [
        '-i',
        '-v',
        '-n',
        '-c',
        '-w',
        '-x',
        '-h',
        '-H',
        '-l',
        '-L',
        '-m1',
        '-m2',
        '-q',
        '-s',
        '-A1',
        '-B1',
        '-C1',
        '-b',
        '-o',
        '-Z',
        '-T',
        '--no-ignore-case',
        '--label=in',
        '-A2 --group-separator=SEP',
        '--no-group-separator -C1',
      ]),
    ' ',
  )
  // Which of two lists prevails, and what is printed besides -o, differs from version to version.
  const clean = options.includes('-o') ? options.replaceAll(/-[vbABCT]\d?\b|--(no-)?group-separator\S*/g, '') : options
  const extended = random(2) === 0
  const or = extended ? '|' : '\\|'
  const pattern = pick(random, [
    regex(random),
    `${regex(random)}${or}${regex(random)}`,
    `${regex(random)}\n${regex(random)}`,
    '',
    '^$',
    '\\bo',
    'o\\>',
    `\\w${extended ? '+' : '\\+'}o`,
  ])
  const how = pick(random, [
    `-e ${quote(pattern)}`,
    `-e ${quote(pattern)} -e x`,
    `-f <(printf '%s\\n' ${quote(pattern)})`,
    `-- ${quote(pattern)}`,
  ])
  const where = pick(random, ['f', 'f g', '- < f', 'f nope g', 'g f -', '< g'])
  if (random(4) === 0)
    return `grep -r ${extended ? '-E' : ''} ${clean.replaceAll(/-[mABC]\d\b/g, '')} ${pick(random, ['', "--include='*.c'", "--exclude='*.h'", '--exclude-dir=e'])} -e ${quote(pattern)} d < /dev/null | sort`
  return `grep ${extended ? '-E' : ''} ${clean} ${how} ${where}`
}

function find(random: Random): string {
  const test = () =>
    pick(
      random,
      [
        "-name '*.c'",
        '-type f',
        '-type d',
        "! -name '.*'",
        '-empty',
        '-size 0',
        "-path '*/e/*'",
        "-regex '.*[ch]'",
        '-perm -u+r',
        '-newer nope',
        "-iname 'A*'",
        '-links 1',
        '-true',
        '-false',
        '-user user',
      ].filter((one) => !/newer|links|user/.test(one)),
    )
  const tests = several(
    random,
    1,
    4,
    () => pick(random, ['', '! ', '']) + test(),
    pick(random, [' ', ' -o ', ' -a ', ' ']),
  )
  const action = pick(random, [
    '',
    '-print',
    "-printf '%f %h %d %y %P\\n'",
    "-exec echo '<{}>' \\;",
    '-exec echo {} + | tr " " "\\n"',
    '-print0 | tr "\\0" "\\n"',
    '-prune',
    '-print -o -print',
    "-printf '%m\\n'",
  ])
  const start = pick(random, ['.', 'd', 'd/', './d', 'd/e d', '. nope'])
  const depth = pick(random, ['', '', '-maxdepth 1', '-mindepth 1', '-depth'])
  return `find ${start} ${depth} ${random(3) === 0 ? `\\( ${tests} \\)` : tests} ${action} | sort`
}

function sort(random: Random): string {
  const key = () =>
    `-k${1 + random(3)}${pick(random, ['', '.2', ''])}${pick(random, ['', ',2', ',3.1', ',1', 'b'])}${pick(random, ['', 'n', 'r', 'nr', 'f', 'b'])}`
  const keys = several(random, 0, 2, key, ' ').replace(/(-k\S*)b(n|r|nr|f|b)\b/g, '$1b')
  return `sort ${pick(random, ['', '-r', '-u', '-s', '-f', '-n', '-b', '-c', '-C'])} ${keys} ${pick(random, ['', '-t,', '-t:', "-t' '"])} ${pick(random, ['f', 'f g', '- < g', '-m <(sort f) <(sort g)', '-o out f; cat out'])}`
}

function cut(random: Random): string {
  const list = several(random, 1, 3, () => pick(random, ['1', '2', '3', '2-', '-2', '1-2', '4-', '3-3', '7']), ',')
  return `cut ${pick(random, ['-c', '-b', '-f', `-d${pick(random, [',', ':', "' '", 'o'])} -f`])}${list} ${pick(random, ['', '', '--complement', '-s', '--output-delimiter=+', '-z'])} ${pick(random, ['f', 'f g', '< f'])}`
}

function tr(random: Random): string {
  const set = () =>
    quote(
      pick(random, [
        'a-f',
        '[:lower:]',
        '[:digit:]',
        ' \\t',
        'o',
        'a-z0-9',
        '\\n',
        '[:punct:]',
        'A-Za-z',
        '\\054:',
        '[=o=]',
        '[o*]x',
        'x-z',
      ]).replace('[o*]x', 'ox'),
    )
  return `tr ${pick(random, [`-d ${set()}`, `-s ${set()}`, `-cd ${set()}`, `-cs ${set()} '\\n'`, `${set()} ${quote(pick(random, ['X', 'A-F', '[x*]', '_-', '[*3]z'.replace('[*3]z', '[z*3]y')]))}`, `-t a-f xy`, `-ds ${set()} ${set()}`, `-c 'a-z\\n' '*'`])} < ${pick(random, ['f', 'g'])}`
}
