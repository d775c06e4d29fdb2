/** Names that every JavaScript object inherits are to programs of the emulated shell what any unknown name is. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

/** Each with a name like it that no object has: what a program says of the one it has to say of the other. */
const twins = {
  constructor: 'consdructor',
  __proto__: '__probo__',
  toString: 'toSdring',
  hasOwnProperty: 'hasOwnBroperty',
  valueOf: 'valueOg',
}

/** `NAME` stands for the name. */
const own = [
  'grep --color=NAME a f',
  'grep -d NAME a f',
  'ls --block-size=NAME f',
  'cp --reflink=NAME f g',
  'tail --follow=NAME f',
  'diff --color=NAME f f',
  'tee --output-error=NAME < f',
  "echo a | awk '/[[:NAME:]]/'",
  '[[ 1 -NAME 1 ]]; echo $?',
  `x=1; echo "\${x@NAME}"; echo "\${x:NAME}"`,
  'printf -v NAME x; echo $NAME; read NAME <<< y; echo $NAME; local NAME; ulimit -NAME',
  'tput NAME',
  'TERM=NAME tput bold',
  "echo '{}' | jq .NAME",
  'jq -n \'{"NAME": 1}, ({} | has("NAME")), ([{"NAME": 2}] | map(.NAME)), ({"a": 1} + {"NAME": 3} | keys)\'',
  "jq -n 'NAME'",
  "jq -n '$NAME'",
  'jq -n \'@NAME "x"\'',
  "jq -n 'def NAME: 5; NAME'",
  "jq -n --arg NAME 1 '$NAME, $ARGS.named'",
  "jq -n '$ENV.NAME, env.NAME'",
  'jq -n \'reduce ("a", "NAME", "NAME") as $x ({}; .[$x] += 1)\'',
  'jq -n \'"a" | test("[[:NAME:]]")\'',
  'jq -n \'"a" | test("(?<NAME>a)"), capture("(?<NAME>a)")\'',
  'jq -n \'{} | .["NAME"] = 1 | del(.NAME), to_entries, (tostream)\'',
  'rg -t NAME a',
  'rg -T NAME a',
  'rg --sort NAME a',
  'rg --color NAME a',
  'rg --colors NAME:fg:red a f',
  'rg -E NAME a f',
  "rg '[[:NAME:]]' f",
  "rg '\\p{NAME}' f",
  "echo a | rg -o '(?P<NAME>a)' -r '$NAME'",
  'hexdump -e NAME f',
  'strings -t NAME f',
  'strings -e NAME f',
  'xxd -NAME f',
  'tar --format=NAME -cf x.tar f',
  'bc -l <<< "NAME(1)"',
  'git init -q r; cd r; git log --date=NAME; git log --diff-merges=NAME; git NAME',
  "git init -q r; cd r; git commit -q --allow-empty -m a; git log --date=NAME --format=%ad; echo HEAD | git cat-file --batch-check='%(NAME)'",
  'git init -q r; cd r; git commit -q --allow-empty -m a; git log --since=NAME --format=%s; git log --pretty=NAME; git show NAME; git log --format="%(NAME)"',
  'git init -q r; cd r; git config NAME.NAME 1; git config --get NAME.NAME; git config alias.NAME version; git branch NAME; git for-each-ref --format="%(NAME)" --sort=NAME',
  'git init -q r; cd r; echo "[[:NAME:]]" > .gitignore; touch a; git status --short; rg --files',
  'rg --files -g "[[:NAME:]]"',
  'iconv -f NAME f',
  'file --mime-NAME f',
]
/** Here the real program ends with the same status. */
const real = [
  "echo a | tr '[:NAME:]' x",
  "echo a | tr -d '[:NAME:]'",
  'numfmt --round=NAME 1.5',
  'numfmt --to=NAME 1500',
  'numfmt --from=NAME 1500',
  'numfmt --invalid=NAME x',
  'dd NAME=1',
  'dd conv=NAME',
  'dd iflag=NAME',
  'dd status=NAME',
  'dd bs=1NAME',
  'GREP_COLORS=NAME=1 grep --color=always a f',
  'GREP_COLORS=NAME grep --color=always a f',
  'grep --binary-files=NAME a f',
  "grep '[[:NAME:]]' f",
  "sed 's/[[:NAME:]]/x/' f",
  "sed -n 'b NAME' f",
  "sed ':NAME;s/a/b/;t NAME' f",
  'nl -b NAME f',
  'nl -n NAME f',
  'du --time=NAME f',
  'du --time --time-style=NAME f',
  'du -B NAME f',
  'ls --sort=NAME f',
  'ls --time=NAME f',
  'ls --format=NAME f',
  'ls --quoting-style=NAME f',
  'QUOTING_STYLE=NAME ls f',
  'ls --indicator-style=NAME f',
  'cp --backup=NAME f g',
  'VERSION_CONTROL=NAME cp -b f g',
  'cp --preserve=NAME f g',
  'cmp -n 1NAME f f',
  'date -d NAME',
  'date -d "1 NAME"',
  'date -d "next NAME"',
  'date -d "12:00 NAME"',
  'date --iso-8601=NAME',
  'date --rfc-3339=NAME',
  'TZ=NAME date -d @0 +%H',
  'cksum -a NAME f',
  'od -A NAME f',
  'od -t NAME f',
  'od --endian=NAME f',
  'basenc --NAME f',
  'sort --sort=NAME f',
  'sort --check=NAME f',
  'sort -k 1NAME f',
  'sort -S 1NAME f',
  'uniq --group=NAME f',
  'uniq -D --all-repeated=NAME f',
  'head -c 1NAME f',
  'split -b 1NAME f',
  'split -n NAME f',
  'truncate -s 1NAME g',
  'touch --time=NAME g',
  'touch -d NAME g',
  'chmod NAME f',
  'mktemp NAME',
  'find . -NAME',
  'find . --NAME',
  'find NAME',
  'find . -type NAME',
  'find . -regextype NAME -regex a',
  'find . -newerNAME f',
  'timeout -s NAME 1 true',
  'timeout 1NAME true',
  'sleep 0NAME',
  'getconf NAME',
  'getopt -s NAME -o a -- -a',
  'getopt -l NAME -o a -- --NAME',
  'join -o NAME f f',
  'expr NAME : NAME',
  'env NAME=1 printenv NAME',
  'xargs -NAME < f',
  'wc --total=NAME f',
  'comm --NAME f f',
  'shuf --NAME f',
  'seq NAME',
  "awk 'BEGIN { print NAME, length(NAME); NAME = 1; print NAME }'",
  'awk \'BEGIN { NAME["NAME"] = 1; print ("other" in NAME), ("NAME" in NAME) }\'',
  'awk \'BEGIN { a["NAME"]++; for (k in a) print k, a[k] }\'',
  "awk 'function NAME(x) { return x + 1 } BEGIN { print NAME(1) }'",
  "awk 'BEGIN { print NAME(1) }'",
  'awk \'BEGIN { a[1]; PROCINFO["sorted_in"] = "@NAME_asc"; for (k in a) print k }\'',
  'awk \'BEGIN { a[1]; PROCINFO["sorted_in"] = "NAME"; for (k in a) print k }\'',
  'awk \'BEGIN { print ENVIRON["NAME"], PROCINFO["NAME"] }\'',
  "awk -v NAME=1 'BEGIN { print NAME }'",
  '@NAME; echo $?',
  'NAME; echo $?',
  'type NAME; command -v NAME; hash NAME; builtin NAME; help NAME',
  `NAME=1; echo "$NAME"; unset NAME; echo "\${NAME-none}"; export NAME=2; bash -c 'echo $NAME'`,
  `declare -A a; a[NAME]=1; echo "\${a[NAME]}" "\${!a[@]}" "\${a[toLocaleString]-none}"`,
  'NAME() { echo in; }; NAME; declare -F NAME; unset -f NAME; NAME',
  'shopt -s expand_aliases; alias NAME="echo hi"; alias NAME; unalias NAME; unalias NAME',
  'echo $((NAME)) $((NAME += 2)) $NAME',
  'set -o NAME; echo $?; shopt -s NAME; echo $?',
  'trap x NAME; echo $?; kill -s NAME $$; echo $?',
  '[[ a == [[:NAME:]] ]]; echo $?; case a in [[:NAME:]]) echo y;; *) echo n;; esac',
  '[[ a =~ [[:NAME:]] ]]; echo $?',
  '[ 1 -NAME 1 ]; echo $?; test -NAME 1; echo $?',
  'declare -n r=NAME; r=1; echo $NAME; readonly NAME; NAME=2; echo $?',
  `mapfile NAME < f; echo "\${NAME[0]}"; for NAME in 1 2; do echo $NAME; done`,
  `cat < NAME; echo $?; cd NAME; pushd NAME; source NAME; exec {NAME}< f; echo \${#NAME}`,
  'NAME --help; ./NAME; echo NAME > NAME; cat NAME',
]

let workspace: Workspace
let count = 0
const prepare = 'printf "a\\nb\\n" > f; '
beforeAll(() => {
  workspace = createWorkspace({ fs: memory(), shell: emulatedShell({ worker: built('node/emulated-worker.js') }) })
})
afterAll(() => workspace.shell?.close())

async function ours(script: string, name: string): Promise<string> {
  count += 1
  const begin = `mkdir ${count}; cd ${count}; ${prepare}`
  const ran = await run(workspace, begin + script.replaceAll('NAME', name))
  const said = `${ran.ended} ${ran.exitCode}\n${ran.stdout}\n${ran.stderr}`
  return said.replaceAll(name, 'NAME').replaceAll(`/${count}/`, '/DIR/').replaceAll(`/${count}\n`, '/DIR\n')
}

test.each([...own, ...real])('an unknown name as any other: %s', async (script) => {
  for (const [name, twin] of Object.entries(twins)) {
    expect(await ours(script, name), name).toBe(await ours(script, twin))
  }
})

// Other systems have programs of other makers.
test.skipIf(process.platform !== 'linux').each(real)('as the real program: %s', async (script) => {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-names-'))
  onTestFinished(() => fs.rmSync(cwd, { recursive: true, force: true }))
  const named = script.replaceAll('NAME', 'constructor')
  const { status } = spawnSync('bash', ['--norc', '-c', prepare + named], { cwd, stdio: 'ignore', timeout: 20_000 })
  expect(await statusOf(named)).toBe(status)
})

async function statusOf(script: string): Promise<number | undefined> {
  count += 1
  return (await run(workspace, `mkdir ${count}; cd ${count}; ${prepare}${script}`)).exitCode
}
