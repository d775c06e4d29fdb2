/** Whether a script is complete, as bash says it: recorded and generated scripts, cut where a person may press Enter. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Completeness, completenessOf } from '../../bash/language/syntax/completeness.js'
import corpus from '../data/shell/corpus.json' with { type: 'json' }
import recorded from '../data/shell/recorded.json' with { type: 'json' }
import { sample, scaled, seeded } from '../scale.js'

/** Reads scripts without running them. `fi` after a script is an error, unless its last line or a here-document goes on. */
const readAll = `
cd "$1"
for (( each = 0; each < $2; each += 1 )); do
  bash -O extglob -n $each 2> $each.said || { echo failed >> $each.said; continue; }
  [[ -e $each.more ]] && bash -O extglob -n $each.more 2> /dev/null && echo continued > $each.said
done
exit 0`

/** What bash makes of texts after Enter was pressed at their ends. */
function bashSays(texts: readonly string[]): Completeness[] {
  const directory = mkdtempSync(join(tmpdir(), 'polyfs-test-complete-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const [index, text] of texts.entries()) {
    writeFileSync(join(directory, `${index}`), `${text}\n`)
    if (text.endsWith('\\') || text.includes('<<')) writeFileSync(join(directory, `${index}.more`), `${text}\nfi\n`)
  }
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  execFileSync('bash', ['--norc', '-c', readAll, 'bash', directory, `${texts.length}`], { env })
  return texts.map((_, index) => judge(readFileSync(join(directory, `${index}.said`), 'utf8')))
}

function judge(said: string): Completeness {
  if (said === 'continued\n') return 'incomplete'
  const error = said.split('\n').find((line) => line !== '' && !line.includes(' warning: '))
  if (error === undefined) return 'complete'
  const isEnd = /unexpected (end of file|EOF while looking for|token `EOF' in conditional)/.test(error)
  return isEnd ? 'incomplete' : 'wrong'
}

function compare(texts: readonly string[]): void {
  const distinct = [...new Set(texts)]
  const theirs = bashSays(distinct)
  const differing = distinct
    .map((text, index) => ({ text, bash: theirs[index], ours: completenessOf(text) }))
    .filter(({ bash, ours }) => bash !== ours)
  expect(differing).toEqual([])
  expect(new Set(theirs).size).toBeGreaterThan(1)
}

/** The text up to each of its line ends. */
function cuts(text: string): string[] {
  const lines = text.split('\n')
  return lines.map((_, index) => lines.slice(0, index + 1).join('\n'))
}

test('a recorded script is incomplete up to the line where it can end', () => {
  const scripts = [...corpus.cases, ...recorded.cases]
    .map(({ script }) => script)
    .filter((script) => script.includes('\n'))
  compare(sample(scripts, { every: 40 }).flatMap(cuts))
})

const word = fc.constantFrom(
  'a',
  "'q w'",
  '"x $y"',
  '$z',
  `\${y:-z}`,
  '$(echo a)',
  '`echo b`',
  '$((1 + 2))',
  'a\\ b',
  "$'t\\''",
  '*.txt',
  'a#b',
)

const { script } = fc.letrec<{ script: string }>((tie) => {
  const inner = tie('script')
  const made = (parts: TemplateStringsArray, ...values: fc.Arbitrary<string>[]) =>
    fc.tuple(...values).map((given) => parts.map((part, index) => part + (given[index] ?? '')).join(''))
  return {
    script: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      made`echo ${word} ${word}`,
      made`if ${inner}; then\n${inner}\nelif ! a\nthen b; else\n${inner}\nfi`,
      made`for i in ${word} ${word}; do # c'omment\n${inner}\ndone`,
      made`for ((i = 0; i < 3; i++))\ndo\n${inner}\ndone`,
      made`while ${inner}\ndo ${inner}\ndone < ${word}`,
      made`case ${word} in\n${word}) ${inner};;\n(b|c)\n${inner}\n;&\n*) ;;\nesac`,
      made`{ ${inner}\n}`,
      made`(${inner})`,
      made`f() {\n${inner}\n}`,
      made`function g\n{\n${inner}\n}`,
      made`cat <<EOF\n${word} $(${inner})\nEOF`,
      made`cat <<-'EOF'\n\t${word} \`\n\tEOF`,
      made`cat <<A <<"B" | ${inner}\nx"\nA\ny'\nB`,
      made`x=$(cat <<EOF\n)'"\nEOF\n)`,
      made`x=$(${inner}\n)`,
      made`[[ ${word} == ${word} &&\n! -f x ]]`,
      made`echo "${word}\n$(${inner})" # ${word}`,
      made`a=(${word}\n${word} # c\n)`,
      made` (( x = (1 + 2) *\n3 ))`,
      made`${inner} &&\n${inner}`,
      made`${inner} |\n\n# comment\n${inner}`,
      made`diff <(${inner}) <(${inner}\n)`,
      made`echo \`${word}\n\``,
      made`echo a \\\n ${word}`,
      made`echo \${x:-a\nb}\n! ${inner}`,
      made`${inner} &\n${inner}`,
    ),
  }
})

/** Some with an error at the end, to be found as soon as it is there. */
const generated = fc.tuple(script, fc.constantFrom('', '', '\nfi', ' ;;', '\n)')).map((parts) => parts.join(''))

test('a generated script is incomplete up to where it can end', () => {
  // Without what is known to be read in another way; see `isReadOtherwise`.
  const scripts = fc.sample(generated, { numRuns: scaled(400), seed: seeded(3) })
  compare(scripts.flatMap(cuts).filter((text) => text.length < 2000 && !/[<>]\(\(/.test(text)))
})

/** Where bash says nothing by which it can be known, or one error before another. */
const isUnclear = (text: string) => /(^|[;&\n(])[ \t]*\\$|\[\[[^\n]*[^&]&$/.test(text)

/**
 * Known to be read in another way, in some two of 1,500 texts: bash looks for the end of `((` within `<(` before it reads on; and where an array
 * or `[[` begins behind `<<` and goes on in the next line, that line is the here-document's or theirs.
 */
const isReadOtherwise = (text: string) => /[<>]\(\(/.test(text) || /<<[^\n]*(\w=\(|\[\[)[^\n]*\n/.test(text)

test('a generated script that is cut anywhere is read as bash reads it', () => {
  const anywhere = fc.tuple(generated, fc.nat(2000)).map(([text, at]) => text.slice(0, at % (text.length + 1)))
  compare(
    fc
      .sample(anywhere, { numRuns: scaled(1500), seed: seeded(4) })
      .filter((text) => !isUnclear(text) && !isReadOtherwise(text)),
  )
})

test.each<[string, Completeness]>([
  ['', 'complete'],
  ['# only a comment \\', 'complete'],
  ["cat > k.txt <<'EOF'\nhello\nrm -rf notes", 'incomplete'],
  ["cat > k.txt <<'EOF'\nhello\nrm -rf notes\nEOF", 'complete'],
  ['cat <<-EOF\n\thello\n\tEOF', 'complete'],
  ['cat <<EOF\nhello\n EOF', 'incomplete'],
  ['echo "$(cat <<EOF\nhello\nEOF)"', 'complete'],
  ['\\', 'incomplete'],
  ['echo a \\\\', 'complete'],
  ["echo 'a\\'", 'complete'],
  ['echo ?(a', 'incomplete'],
  ['> \\', 'incomplete'],
  [')', 'wrong'],
  ['cat <<EOF )', 'wrong'],
  ['echo >', 'wrong'],
  ['[[ a', 'wrong'],
  ['time | cat', 'wrong'],
])('%j is %s', (text, expected) => {
  expect(completenessOf(text)).toBe(expected)
})
