/** Calls of perl on generated files, made from a seed. */
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
  'END',
  '3 4',
  '',
]
const gaps = [' ', ' ', '\t', ',', ':', '  ', '=']
const patterns = [
  'o+',
  '[a-f]+',
  '\\d+',
  '(\\w)(\\w)',
  '^\\s*',
  '\\s*$',
  '(a)|(b)',
  '\\bfoo',
  '[^ ]+',
  '(\\d+)\\.(\\d+)',
  'x*',
  '.',
  '^',
  '$',
  '\\W',
  '(?<=o)b',
  'o(?!o)',
  '(o)\\1',
  'b.*?r',
  '[[:upper:]]',
  '\\.',
  '=|,',
  '(?i)FOO',
  '\\S+$',
  '(\\S+)\\s+(\\S+)',
  'a?',
  '(?:ab?)+',
  '\\t',
  '\\n',
]
const replacements = [
  'X',
  '<$&>',
  '$1',
  '[$1]',
  '\\U$&',
  '\\u$&',
  '',
  '$1-$2',
  '\\L$&\\E!',
  '\\n',
  '$.',
  '@F',
  '$h{x}',
  '\\t',
]
const numbers = [
  '1',
  '2',
  '0',
  '-1',
  '3',
  '10',
  '0.5',
  '7',
  '1e3',
  '255',
  '1e15',
  '"3x"',
  '"abc"',
  '"0x10"',
  '"1e2"',
  '" 7"',
  '-7',
  '2.5',
  '1/3',
]
const operators = [
  '+',
  '-',
  '*',
  '.',
  '%',
  '**',
  '<=>',
  'cmp',
  '==',
  'eq',
  '<',
  'lt',
  '&',
  '|',
  '<<',
  'x',
  '/',
  '&&',
  '||',
  '//',
]

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item
}

export function perlScript(random: Random): string {
  const files = ['f', 'g'].map((name) => `cat > ${name} <<'EOF'\n${textFrom(random)}EOF\n`).join('')
  const calls = Array.from({ length: 4 }, () => `${call(random)}; echo "= $?"`).join('\n')
  return `${files}${calls}\n`
}

function textFrom(random: Random): string {
  let text = ''
  for (let lines = random(7); lines > 0; lines -= 1) {
    const count = random(5)
    for (let index = 0; index < count; index += 1) text += (index > 0 ? pick(random, gaps) : '') + pick(random, words)
    text += '\n'
  }
  return text
}

function call(random: Random): string {
  return pick(random, [
    edit,
    edit,
    filter,
    fields,
    fields,
    whole,
    arithmetic,
    arithmetic,
    texts,
    lists,
    splits,
    formats,
    inPlace,
  ])(random)
}

function files(random: Random): string {
  return pick(random, ['f', 'g', 'f g', '< f'])
}

function substitution(random: Random): string {
  const flags = pick(random, ['', 'g', 'g', 'i', 'gi', 'm', 'gs'])
  if (random(4) > 0) return `s/${pick(random, patterns)}/${pick(random, replacements)}/${flags}`
  const code = pick(random, [
    'length($&)',
    '$& x 2',
    'uc $&',
    '$n++',
    'sprintf("%03d", $&)',
    'ord($&)',
    '$1 // "-"',
    '"<" . lc($&) . ">"',
    'pos() // "u"',
  ])
  return `s/${pick(random, patterns)}/${code}/e${flags}`
}

function edit(random: Random): string {
  const more =
    random(3) === 0
      ? `; ${pick(random, ['tr/a-z/A-Z/', 'tr/a-e//d', 'tr/a-zA-Z//cs', 'y/o/0/', 'chomp', '$_ = reverse', '$_ = uc', '$_ .= "!"', 'tr/a-zA-Z0-9\\n//cd'])}`
      : ''
  return `perl -${pick(random, ['', 'l', 'w'])}pe '${substitution(random)}${more}' ${files(random)}`
}

function condition(random: Random): string {
  const one = pick(random, patterns)
  const other = pick(random, patterns)
  return pick(random, [
    `/${one}/`,
    `!/${one}/`,
    `/${one}/ && /${other}/`,
    `/${one}/../${other}/`,
    `/${one}/.../${other}/`,
    '$. == 2',
    '2..3',
    '$. % 2',
    'eof',
    '!$seen{$_}++',
    'length > 5',
    `/${one}/ || $. > 3`,
    'length() < 4 or /a/',
    `$. > 1 && !/${one}/`,
    '($x = $_) =~ s/a/b/',
  ])
}

function filter(random: Random): string {
  const what = pick(random, [
    'print',
    'print "$.:$_"',
    'print length, "\\n"',
    'print ucfirst',
    'printf "%2d %s", $., $_',
    'print "[$&]\\n"',
    'print lc',
  ])
  return `perl -ne '${what} ${pick(random, ['if', 'if', 'unless'])} ${condition(random)}' ${files(random)}`
}

function fields(random: Random): string {
  const separator = pick(random, ['', '', '-F, ', '-F: ', "-F'\\t' ", "-F'[,:]' ", '-F= ', "-F'|' "])
  const code = pick(random, [
    'print $F[0]',
    'print $F[-1]',
    'print scalar @F',
    'print join "|", @F',
    'print "@F[0,1]"',
    '$s += $F[0]; END { print $s }',
    'print join ",", reverse @F',
    'print join ",", sort @F',
    '$c{$_}++ for @F; END { print "$_ $c{$_}" for sort keys %c }',
    'print $#F',
    'print join " ", map { "<$_>" } @F',
    'print for grep { /\\d/ } @F',
    'print join "-", sort { $a <=> $b } grep { /^\\d+$/ } @F',
    'push @all, @F; END { print "@all[0..1]" if @all > 1 }',
    'print "$F[0]:$F[1]" if @F > 1',
    '$m = $F[0] if $F[0] > $m; END { print $m }',
    'print splice(@F, 0, 1); print "@F"',
    '$h{$F[0]} .= $F[1]; END { print map { "$_=$h{$_};" } sort keys %h }',
    'print shift @F; print pop @F',
    '$F[2] = "new"; print "@F"',
    'my ($x, @r) = @F; print "$x|@r"',
    'print "has" if grep { $_ eq "foo" } @F',
    'print exists $F[1] ? 1 : 0, defined $F[3] ? 1 : 0',
  ])
  return `perl ${separator}-lane '${code}' ${files(random)}`
}

function whole(random: Random): string {
  const pattern = pick(random, patterns)
  const code = pick(random, [
    `my @m = /${pattern}/g; print scalar(@m), "@m\\n"`,
    `print "<$&>" while /${pattern}/g`,
    `while (/${pattern}/g) { print pos, ";" }`,
    `print join "|", split /${pattern}/`,
    `print join("|", split(/${pattern}/, $_, 3)), "\\n"`,
    `my $n = () = /${pattern}/gm; print "$n\\n"`,
    `s/${pattern}/#/gm; print`,
    `print tr/a-z//, "\\n"`,
    'print map { "[$_]" } split',
    `print /${pattern}/ ? "$\`|$&|$\x27\\n" : "none\\n"`.replace("'", ''),
    `print "@-;@+\\n" if /${pattern}/`,
    `(my $t = $_) =~ s/${pattern}/+/; print $t`,
    `print s/${pattern}/=/gr`,
    'print scalar reverse',
    'print join ",", map { length } split /\\n/',
    `print join("|", map { defined ? $_ : "u" } split(/(${pattern})/, $_, -1)), "\\n"`,
  ])
  return `perl -0777 -ne '${code.replaceAll("'", '')}' ${pick(random, ['f', 'g'])}`
}

function expression(random: Random, depth = 2): string {
  if (depth === 0 || random(4) === 0) return pick(random, numbers)
  const operator = pick(random, operators)
  const right =
    operator === '**' || operator === 'x' || operator === '<<'
      ? pick(random, ['2', '3', '0'])
      : expression(random, depth - 1)
  return `(${expression(random, depth - 1)} ${operator} ${right})`
}

function arithmetic(random: Random): string {
  return `perl -le 'print ${expression(random)}; print ${pick(random, ['int', 'abs', 'length', '-', '!', 'sqrt abs', '~'])} ${expression(random, 1)}'`
}

function texts(random: Random): string {
  const [one, other] = [pick(random, words), pick(random, words)]
  const place = random(7) - 3
  const code = pick(random, [
    `substr("${one}${other}", ${place})`,
    `substr("${one}${other}x", ${place}, ${random(5) - 1})`,
    `index("${one}${other}", "${other}", ${place})`,
    `rindex("${one}o${other}", "o")`,
    `ucfirst lc "${one}"`,
    `lcfirst uc "${one}"`,
    `"${one}" x ${random(4)}`,
    `join("-", "${one}", "${other}")`,
    `"${one}" lt "${other}" ? "lt" : "ge"`,
    `"${one}" <=> "${other}"`,
    `"${one}" . "${other}" + 1`,
    `sprintf("%5s|%-5s|", "${one}", "${other}")`,
    `reverse("${one}", "${other}")`,
    `scalar reverse("${one}${other}")`,
    `ord("${one}")`,
    `"\\u${one}\\U${other}\\E${one}"`,
    `"${one}" =~ /${pick(random, patterns)}/ ? "y$&" : "n"`,
    `quotemeta "${one}${other}"`,
    `hex("${one}"), oct("${other}")`,
    `lc("${one}") eq lc("${other}")`,
  ]).replaceAll('@', '')
  return `perl -le '$x = "${one}"; $x++; print $x; print ${code}'`
}

function lists(random: Random): string {
  const items = Array.from({ length: 1 + random(5) }, () =>
    pick(random, ['3', '10', '2', '"b"', '"a"', '"B"', '1.5', '-1']),
  ).join(', ')
  const code = pick(random, [
    'print join ",", sort @a',
    'print join ",", sort { $a <=> $b || $a cmp $b } @a',
    'print join ",", reverse @a',
    'print "@a[1..$#a]"',
    'print scalar(grep { $_ > 1 } @a)',
    'print join ",", map { $_ . "x" } @a',
    'my %h = map { $_ => 1 } @a; print join ",", sort keys %h',
    'print join ",", splice(@a, 1, 2); print "@a"',
    'splice(@a, -1, 1, 7, 8); print "@a"',
    '$a[$#a + 2] = 5; print join ",", map { defined $_ ? $_ : "u" } @a',
    'unshift @a, pop @a; print "@a"',
    'my ($p, $q) = @a; print "$p;$q"',
    'print "$#a $a[-1] $a[0]"',
    '$_ .= "!" for @a; print "@a"',
    'my @b = (@a) x 2; print "@b"',
    'print join ",", @a[grep { $_ % 2 } 0..$#a]',
    'for my $i (0..$#a) { next if $i == 1; last if $i == 3; print "$i=$a[$i]" }',
    'my $r = [@a, [1, 2]]; print "$$r[0] $r->[-1][1] ", scalar @$r',
    'while (my ($i, $v) = splice @a, 0, 2) { print $i, $v // "u" }',
    'my $s = 0; $s += $_ foreach @a; print $s',
    'print "@{[map { $_ * 2 } @a]}"',
    'my @s = sort { $b cmp $a } @a; print "$s[0]$s[-1]"',
    'my %c; $c{length $_}++ for @a; print map { "$_:$c{$_} " } sort keys %c',
    'print join ",", (sort @a)[0, -1]',
    'print wantarray() ? 1 : 0; print exists $a[9] ? 1 : 0',
    'local $, = "+"; print @a',
  ])
  return `perl -le 'my @a = (${items}); ${code}'`
}

function splits(random: Random): string {
  const text = Array.from({ length: random(6) }, () => pick(random, words) + pick(random, gaps)).join('')
  const limit = pick(random, ['', '', ', -1', ', 2', ', 3', ', 1'])
  const by = pick(random, [...patterns.map((pattern) => `/${pattern}/`), '" "', '","', '//', '/ /', '/^/', '"|"'])
  return `perl -le 'print join "|", map { defined $_ ? $_ : "u" } split(${by}, q{${text}}${limit})'`
}

function formats(random: Random): string {
  const format = `%${pick(random, ['', '-', '0', '+', ' ', '#', '-0'])}${pick(random, ['', '5', '8', '*'])}${pick(random, ['', '', '.0', '.2', '.3', '.*'])}${pick(random, ['d', 's', 'f', 'e', 'g', 'x', 'X', 'o', 'b', 'c', 'i', 'u'])}`
  const stars = [...format].filter((character) => character === '*').map(() => '6, ')
  const value = pick(random, [...numbers, '-3.7', '1e20', '"text"', '65', '0.00001234', '123456789', '2**40', '-1'])
  return `perl -e 'printf "[${format}]\\n", ${stars.join('')}${value}'`
}

function inPlace(random: Random): string {
  const suffix = pick(random, ['', '', '.bak', '.o'])
  return `perl -i${suffix} -${pick(random, ['', 'l', '0777'])}${pick(random, ['', ' -'])}pe '${substitution(random)}' ${pick(random, ['f', 'g', 'f g'])}; cat f g`
}
