/** Calls of programs for data, archives, dates and numbers, on generated files, made from a seed. */
import type { Random } from '../../core/search/generated-trees.js'

type Make = (random: Random) => string

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

function several(random: Random, least: number, most: number, make: () => string, between: string): string {
  return Array.from({ length: least + random(most - least + 1) }, make).join(between)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function document(name: string, text: string): string {
  return `cat > ${name} <<'EOF'\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}EOF\n`
}

/** One call of each of a few families, with its status. */
export function toolScript(random: Random): string {
  const families: readonly Make[] = [jq, jq, archive, compare, patch, date, date, fields, numbers, numbers, ends]
  const calls = several(random, 3, 4, () => `{ ${pick(random, families)(random)}\n}; echo "= $?"`, '\n')
  const lines = () => several(random, 0, 8, () => pick(random, ['a', 'b', 'c', 'a b', '', ' x', 'A', '1', '10']), '\n')
  const sorted = () => several(random, 0, 6, () => `${pick(random, ['a', 'b', 'c', 'd', 'é'])} ${random(4)}`, '\n')
  return [
    document('f', lines()),
    document('g', lines()),
    document('s', sorted().split('\n').sort().join('\n')),
    document('t', sorted().split('\n').sort().join('\n')),
    document(
      'j',
      several(random, 1, 3, () => json(random, 3), '\n'),
    ),
    `export LC_ALL=${pick(random, ['C', 'C.UTF-8'])}\n${calls}\n`,
  ].join('')
}

function json(random: Random, depth: number): string {
  const inner = () => json(random, depth - 1)
  const plain = ['null', 'true', 'false', '0', '1', '-2', '3.5', '1e3', '"a"', '"b c"', '""', '"é"', '"1"', '[]', '{}']
  if (depth === 0 || random(3) === 0) return pick(random, plain)
  if (random(2) === 0) return `[${several(random, 0, 4, inner, ', ')}]`
  const keys = ['a', 'b', 'c', 'a b'].filter(() => random(2) === 0)
  return `{${keys.map((key) => `"${key}": ${inner()}`).join(', ')}}`
}

function filter(random: Random, depth: number): string {
  const inner = () => filter(random, depth - 1)
  const plain = [
    '.',
    '.a',
    '.b',
    '.[]',
    '.[0]',
    '.[1:]',
    '.["a b"]',
    '..',
    'keys',
    'length',
    'type',
    'tojson',
    'tostring',
    'not',
    'add',
    'sort',
    'unique',
    'reverse',
    'to_entries',
    'paths',
    'leaf_paths',
    'values',
    'arrays',
    'objects',
    'scalars',
    'ascii_downcase',
    'explode',
    'tonumber',
    'min',
    'max',
    'flatten',
    'first',
    'last',
    'any',
    'all',
    'empty',
    '1',
    '"x\\(.)y"',
    '[.[]]',
    'map(.)',
    '@json',
    '@text',
    '@base64',
    '@uri',
    '@sh',
    '@csv',
    '@tsv',
    '@html',
    'input_line_number',
  ]
  if (depth === 0) return pick(random, plain)
  const forms: readonly (() => string)[] = [
    () => `${inner()} | ${inner()}`,
    () => `(${inner()}, ${inner()})`,
    () => `[${inner()}]`,
    () => `{a: ${inner()}, b}`,
    () => `map(${inner()})`,
    () => `if ${inner()} then ${inner()} else ${inner()} end`,
    () => `(${inner()} ${pick(random, ['==', '!=', '<', '<=', '>', 'and', 'or', '//'])} ${inner()})`,
    () => `reduce (.[]) as $x (0; . + 1)`,
    () => `[limit(3; ${inner()})]`,
    () => `first(${inner()})`,
    () => `(${inner()}) as $v | [$v, ${inner()}]`,
    () => `group_by(${inner()})`,
    () => `sort_by(${inner()})`,
    () => `(.a |= ${inner()})`,
    () => `with_entries(.value |= ${inner()})`,
    () => `select(${inner()})`,
    () => `[paths(${inner()})]`,
    () => `del(.${pick(random, ['a', 'b', '[0]', '[1:]'])})`,
    () =>
      `(tostring | ${pick(random, ['test("a")', 'sub("a";"x")', 'split("a")', '[match("a";"g").offset]', 'ltrimstr("a")', 'startswith("[")', 'ascii_upcase', '.[1:3]', 'index("a")', '[scan("[a-c]")]'])})`,
    () => `(def f(g): [g, g]; f(${inner()}))`,
    () =>
      `walk(${pick(random, ['if type == "number" then . + 1 else . end', 'if type == "array" then sort else . end', '.'])})`,
    () => `(tojson | fromjson)`,
    () => `[foreach (.[]) as $x (0; . + 1; [$x, .])]`,
    () => `[recurse(.[]?; true) | ${inner()}] | length`,
    () => `(has("a"), contains("a"), inside([1]))`,
  ]
  return pick(random, forms)()
}

function jq(random: Random): string {
  const options = ['', '-c', '-r', '-s', '-n', '-S', '-cS', '-j', '-e', '--tab', '--indent 1', '-cs', '-a', '-R', '-cn']
  return `jq ${pick(random, options)} ${quote(filter(random, 1 + random(2)))} j`
}

function archive(random: Random): string {
  const content = `mkdir -p p/q; cp f p/; cp g p/q/; ln -sf f p/l; touch -d @1000000000 p/f p/q/g p/q p`
  const name = pick(random, ['p', 'p/f p/q', './p', 'p/q/../f', 'p p/f'])
  const owner = pick(random, [
    '--owner=root --group=root',
    '--owner=7:8 --group=sys',
    '--owner=x:5 --group=:0 --numeric-owner',
  ])
  const pack = `tar c${pick(random, ['', 'z', 'j', 'J', 'v'])}f a.tar --sort=name ${owner} ${pick(random, [
    '',
    '--exclude=q',
    "--exclude='*g'",
    '--mode=a+rwx',
    '--no-recursion',
    '--transform=s,p,r,',
    '--transform=s,/,_,g',
    '-h',
    '--mtime=@5',
    '--format=gnu',
    '--remove-files',
  ])} ${name}`
  const use = pick(random, [
    'tar tf a.tar',
    'tar tf a.tar p/f',
    "tar tf a.tar --wildcards '*f'",
    'tar xOf a.tar',
    'mkdir o; tar xf a.tar -C o; find o | sort',
    'mkdir o; tar xvf a.tar -C o --strip-components=1; find o | sort',
    'tar tf a.tar --exclude=l',
    'tar tf a.tar nope',
    'mkdir o; tar xf a.tar -C o --transform=s/f/n/; find o | sort',
    'mkdir o; tar xpf a.tar -C o; stat -c "%A %n" o/p o/p/* | sort',
    'mkdir o; tar xf a.tar -C o -X f; find o | sort',
    'tar tf - < a.tar',
    'tar xf a.tar -k; echo k; cat p/f',
  ])
  const zip = `zip -q${pick(random, ['', 'r', 'j', 'rj', 'ry', '0r'])} a.zip p p/f; ${pick(random, [
    'unzip -Z1 a.zip',
    'unzip -p a.zip',
    'unzip -qo a.zip -d o; find o | sort',
    'unzip -qqt a.zip',
    "unzip -p a.zip '*f'",
    'unzip -qjo a.zip -d o; ls o',
  ])}`
  const made = random(3) === 0 ? zip : `${pack}; ${use}`
  return `${content}; umask 022; ( ${made} ); c=$?; chmod -R u+rwx p o 2> /dev/null; rm -rf p o p_* r r_* a.tar a.zip; (exit $c)`
}

function compare(random: Random): string {
  const diff = () =>
    `diff ${several(
      random,
      0,
      3,
      () =>
        pick(random, [
          '-u',
          '-c',
          '-i',
          '-w',
          '-b',
          '-B',
          '-q',
          '-s',
          '-y',
          '-U1',
          '-U0',
          '-C1',
          '-e',
          '-n',
          '-E',
          '--strip-trailing-cr',
          '-a',
          '-t',
          '-T',
          '-N',
          '--label=x --label=y',
          '-y -W 40',
          '-I "^a"',
          '--suppress-common-lines',
          '-F "^[a-z]"',
          '-p',
          '-Z',
          '--left-column',
          '-D X',
        ]),
      ' ',
    )} ${pick(random, ['f g', 'g f', 'f f', '- g < f', 'f nope', 'f /dev/null'])} | sed -E 's/\\t[0-9]{4}-.*//; s/^(\\*\\*\\*|---) (\\S+).*20..$/\\1 \\2/'; (exit \${PIPESTATUS[0]})`
  const cmp = () =>
    `cmp ${pick(random, ['', '-s', '-l', '-b', '-n 3', '-i 1', '-i 1:2', '-lb', '-n 0'])} ${pick(random, ['f g', 'f f', 'g s', 'f nope', 'f'])}`
  return pick(random, [diff, diff, diff, cmp])()
}

function patch(random: Random): string {
  const options = several(
    random,
    0,
    2,
    () => pick(random, ['-s', '--dry-run', '-R', '-N', '-f', '-b', '-l', '-F0', '-o out', '-t', '-z .old']),
    ' ',
  )
  const change = pick(random, [
    '',
    'echo new >> o;',
    "sed -i '1d' o;",
    "sed -i '1i first' o;",
    "sed -i 's/a/ax/' o;",
    'cp g o;',
  ])
  const format = pick(random, ['-u', '-c', '', '-U1', '-U0'])
  return `cp f o; diff ${format} --label o --label o f g > p; diff ${pick(random, ['', '-u'])} f g > p2; ${change} patch ${options} o < p; c=$?; cat o out o.old 2> /dev/null; rm -f o p p2 o.* out*; (exit $c)`
    .replace('--label o --label o f', /^-[ucU]/.test(format) ? '--label o --label o f' : 'f')
    .replace(`diff ${pick(random, [''])}`, 'diff ')
}

function date(random: Random): string {
  const day = () =>
    `${pick(random, ['2024-02-29', '2023-12-31', '2000-01-01', '1999-07-04', '2021-03-14', '1970-01-01', '2100-02-28'])}`
  const time = () =>
    pick(random, [
      '',
      ' 00:00',
      ' 12:34:56',
      ' 23:59:59.5',
      ' 1pm',
      'T01:02:03Z',
      ' 10:00 +0200',
      ' 5:06 am',
      ' 12:00 UTC',
    ])
  const step = () =>
    pick(random, [
      '',
      ' +1 day',
      ' -1 month',
      ' next week',
      ' 2 days ago',
      ' +3 hours',
      ' 1 year ago',
      ' +90 min',
      ' last year',
      ' +1 week -1 day',
      ' tomorrow',
      ' yesterday',
      ' next month',
    ])
  const given = pick(random, [
    () => day() + time() + step(),
    () => `@${random(2000000000)}${pick(random, ['', '.25'])}`,
    () => `${1 + random(28)} ${pick(random, ['Jan', 'february', 'Mar', 'DEC'])} ${1990 + random(40)}`,
    () => `${day()} ${pick(random, ['mon', 'next friday', 'Sunday', 'last tue'])}`,
    () => pick(random, ['20240115', '20240115 1030', 'nonsense', '2024-13-01', '01/02/2023', '2024-02-30', '12:99']),
  ])()
  const formats = [
    '%Y-%m-%d',
    '%F %T',
    '%A %B %-d',
    '%j %U %V %G %u %w',
    '%s',
    '%I:%M %p',
    '%e|%k|%l',
    '%D %R',
    '%y %C %g',
    '%a %b %h',
    '%N %3N',
    '%z %:z %Z',
    '%c',
    '%x %X %r',
    '%n%t%%',
    '%10Y %-m %_d %^a %#p',
    '%q',
    '%P',
    '%E',
    '%Oy',
    '%+4Y',
  ]
  const show = pick(random, [
    () => `+${quote(several(random, 1, 2, () => pick(random, formats), ' '))}`,
    () => pick(random, ['-I', '-Iseconds', '-R', '--rfc-3339=date', '--rfc-3339=seconds', '', '-Iminutes']),
  ])()
  return `TZ=${pick(random, ['UTC', 'UTC', 'America/New_York', 'Asia/Kolkata', 'EST5EDT'])} date ${pick(random, ['', '', '-u'])} -d ${quote(given)} ${show}`
}

function fields(random: Random): string {
  const join = () =>
    `join ${several(random, 0, 2, () => pick(random, ['-a1', '-a2', '-v1', '-v2', '-1 2', '-2 2', '-j 1', '-i', '-e -', '-o 1.1,2.2', '-o 0,1.2,2.2', '-o auto', '-t " "', '--header', '--check-order', '--nocheck-order', '-z']), ' ')} s t`
  const comm = () =>
    `comm ${several(random, 0, 2, () => pick(random, ['-1', '-2', '-3', '-12', '-13', '-23', '--total', '--output-delimiter=,', '--check-order', '--nocheck-order', '-z']), ' ')} ${pick(random, ['s t', 's s', '- t < s', 'f g'])}`
  const paste = () =>
    `paste ${several(random, 0, 2, () => pick(random, ['-s', '-d,', '-d ",;"', "-d '\\n'", "-d ''", '-z', "-d '\\0'"]), ' ')} ${pick(random, ['f g', 'f', 'f g s', '- - < f', 'f - < g'])}`
  const sort = () =>
    `sort ${several(random, 0, 3, () => pick(random, ['-n', '-r', '-u', '-k2', '-k2,2n', '-k1,1r', '-f', '-b', '-s', '-V', '-g', '-h', '-M', '-d', '-t" "', '-c', '-C', '-z', '-R --random-source=f', '-m', '-k1.2', '-o o', '-i']), ' ')} ${pick(random, ['f', 's t', 'f g', '- < f'])}; rm -f o`
  const uniq = () =>
    `uniq ${several(random, 0, 2, () => pick(random, ['-c', '-d', '-u', '-i', '-D', '-f1', '-s1', '-w1', '--group', '--all-repeated=prepend', '--group=both', '-z']), ' ')} f`
  return pick(random, [join, join, comm, paste, sort, uniq])()
}

function numbers(random: Random): string {
  const number = () =>
    pick(random, [
      '0',
      '1',
      '-1',
      '10',
      '3.5',
      '-0.5',
      '1e3',
      '0x1f',
      '007',
      '1000',
      '999999',
      '1234567',
      'x',
      '',
      '1.005',
      '.5',
      '-7',
      '+3',
      '1e-2',
      '12abc',
    ])
  const printf = () =>
    `printf ${quote(several(random, 1, 3, () => `%${pick(random, ['', '5', '-5', '05', '+', ' ', '#', '.2', '8.3', '-8.3', '*', '.*', "'"])}${pick(random, ['d', 'i', 's', 'x', 'X', 'o', 'u', 'f', 'e', 'g', 'G', 'c', 'b', 'q', '%', 'a'])}`, '|'))}'\\n' ${several(random, 0, 4, () => quote(number()), ' ')}`.replace(
      "''\\n'",
      "\\n'",
    )
  const whole = () => pick(random, ['1', '3', '10', '-2', '0', '5', '0.5', '1.25', '100', '1e1', '-0', '007'])
  const seq = () =>
    `seq ${pick(random, ['', '-w', '-s,', "-f '%03g'", "-f '%.2f'", "-f 'x%gy'", '-s ", " -w', "-f '%e'"])} ${pick(random, [() => whole(), () => `${whole()} ${whole()}`, () => `${whole()} ${pick(random, ['1', '2', '-1', '0.5', '-0.25', '3'])} ${whole()}`])()} | head -n 30`
  const numfmt = () =>
    `numfmt ${several(random, 0, 3, () => pick(random, ['--to=si', '--to=iec', '--to=iec-i', '--from=si', '--from=iec', '--from=auto', '--grouping', '--padding=8', '--padding=-8', '--round=up', '--round=down', '--round=nearest', '--suffix=B', "--format='%.2f'", "--format='%08f'", "--format='<%10f>'", '--from-unit=1024', '--to-unit=1000', '--invalid=warn', '--invalid=ignore', '--header', '--field=1', '-d,', '-z']), ' ')} ${several(random, 1, 3, () => quote(pick(random, ['1', '1000', '1024', '1500', '1K', '1Ki', '2.5M', '-1234', '999999', '1e3', '0.5', 'x', '', '12345678901', '1B', '3G', '0', '1.05K'])), ' ')}`
  const others = () =>
    pick(random, [
      `factor ${random(100000)} ${random(100)}`,
      `expr ${random(9)} ${pick(random, ['+', '-', "'*'", '/', '%', "'<'", '=', "'|'", "'&'"])} ${random(9)}`,
      `echo '${random(99)}.${random(99)} ${pick(random, ['*', '/', '+', '-', '%', '^'])} ${random(9)}' | bc ${pick(random, ['', '-l'])}`,
      `shuf -i 1-5 -n 2 | wc -l`,
      `echo $(( ${random(99)} ${pick(random, ['%', '<<', '^', '&', '**'])} ${random(5)} ))`,
    ])
  return pick(random, [printf, printf, seq, seq, numfmt, numfmt, others])()
}

function ends(random: Random): string {
  const count = () => pick(random, ['0', '1', '3', '-1', '-3', '+2', '+0', '1k', '5', '2b', 'x', ''])
  const part = () =>
    `${pick(random, ['head', 'tail'])} ${pick(random, ['-n ', '-c ', '--lines=', '--bytes='])}${count()} ${pick(random, ['', '-q', '-v', '-z'])} ${pick(random, ['f', 'f g', '- < f', 'f nope', 's t'])}`
  const split = () =>
    `split ${pick(random, ['-l 2', '-b 3', '-n 2', '-n l/2', '-n r/2', '-C 5', '-n l/1/2', '-n 1/2', '-l 1 -d', '-l 1 -a 1', '-b 2 -x', '--additional-suffix=.t -l 3', "-t ' ' -l 1", '-e -n 5', '--verbose -l 3', '-n r/1/2'])} ${pick(random, ['f', 'f p_', '- p_ < f'])}; head p_* x?* 2> /dev/null; rm -f p_* x?*`
  const cut = () =>
    `cut ${pick(random, ['-c1', '-c2-', '-b1-2', '-f1', "-d' ' -f2", "-d' ' -f1,2 --output-delimiter=:", '-s -f1 -d" "', '--complement -c1', '-c 0', '-f 2-1', '-c-2,4', '-z -c1', '-b 1,3-', "-d '' -f1"])} ${pick(random, ['f', 'f s', '- < g'])}`
  const others = () =>
    pick(random, [
      'tac f g',
      'tac -s a f',
      'tac -b -s b f',
      'tac -r -s "[ab]" f',
      'nl f',
      'nl -ba -w2 -s: f',
      'nl -bt -v5 -i2 g',
      "nl -b 'p^a' f",
      'fold -w2 f',
      'fold -sw3 g',
      'wc f g',
      'wc -L s t',
      'rev s',
      'expand -t4 f',
      'unexpand -a f',
      'fmt -w 10 f',
      'pr -t -2 f',
      'column -t s',
      'od -c f',
      'od -An -tx1 s',
      'xxd s',
      'hexdump -C s',
      'base64 -w 5 f',
      'cksum f',
      'md5sum s',
      'sum f',
      'tsort s 2>&1',
      'cat -A s',
      'cat -bs f',
      'ptx s 2> /dev/null | head -n 0',
      'tr -s "a-c" < f',
      'csplit -s f 2 2> /dev/null; cat xx* 2> /dev/null; rm -f xx*',
    ])
  return pick(random, [part, part, split, cut, others])()
}
