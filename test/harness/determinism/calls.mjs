/** Calls of all dialects that touch everything that could depend on the machine: times, randomness, compression, order, speed. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell.

/** The tree that every run starts with. */
export const files = {
  'notes.txt': 'alpha\nbeta\ngamma\n',
  'src/app.js': 'export const answer = 42\n',
  'src/list.txt': Array.from({ length: 3000 }, (_, at) => `line ${at} ${(at * 7919) % 1000}`).join('\n'),
  'data/items.json': '{"items":[{"name":"b","n":2},{"name":"a","n":1}]}\n',
  'many/': Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.txt`, `text ${at}\n`.repeat(at + 1)])),
}

const polyfs = (tool, args) => ({ dialect: 'polyfs', tool, args })
const bash = (command, more = {}) => polyfs('bash', { command, ...more })

const edits = [
  polyfs('read_file', { path: 'notes.txt' }),
  polyfs('edit_file', { path: 'notes.txt', old_string: 'beta', new_string: 'BETA' }),
  polyfs('edit_file', { path: 'notes.txt', old_string: 'nowhere', new_string: 'x' }),
  polyfs('write_file', { path: 'new/one.txt', content: 'one\n' }),
  polyfs('history', { action: 'list' }),
  polyfs('history', { action: 'checkpoint', point: 'start' }),
  polyfs('apply_patch', {
    patch: '--- a/src/app.js\n+++ b/src/app.js\n@@ -1 +1,2 @@\n export const answer = 42\n+export const half = 21\n',
  }),
  polyfs('copy', { path: 'src', to: 'copied' }),
  polyfs('move', { path: 'copied/app.js', to: 'copied/moved.js' }),
  polyfs('delete', { path: 'new', recursive: true }),
  polyfs('history', { action: 'diff', point: 'start' }),
  polyfs('history', { action: 'undo' }),
  polyfs('list_dir', { path: '.', details: true }),
  polyfs('file_info', { path: 'notes.txt' }),
  polyfs('glob', { pattern: '**/*.txt', limit: 10 }),
  polyfs('grep', { pattern: 'line \\d+ 7', path: 'src', max_tokens: 400 }),
  polyfs('grep', { pattern: '(a+)+$', path: '.' }),
]

const archivesAndGit = [
  polyfs('archive', { action: 'create', path: 'all.zip', paths: ['src', 'many'] }),
  polyfs('archive', { action: 'list', path: 'all.zip' }),
  polyfs('archive', { action: 'extract', path: 'all.zip', destination: 'unpacked' }),
  bash('md5sum all.zip; unzip -l all.zip | tail -3'),
  polyfs('git', { action: 'init' }),
  polyfs('git', { action: 'add', paths: ['.'] }),
  polyfs('git', { action: 'commit', message: 'first', author: 'Ann <ann@example.com>' }),
  polyfs('git', { action: 'log' }),
  bash('find .git -type f | sort | xargs md5sum'),
  bash(
    'git config user.name Bo; git config user.email bo@example.com; echo more >> notes.txt; git commit -qam second; git log',
  ),
  bash(
    'sleep 100; echo x > x.txt; git add x.txt; git commit -qm third; git log --format="%h %an %aI %cI" --date=local',
  ),
  bash(
    'git stash list; echo y >> x.txt; git stash -q; git stash list; git stash pop -q; git status --short; git reflog | head -3',
  ),
  polyfs('git', { action: 'show', revision: 'HEAD' }),
]

const timesInTheShell = [
  bash('date; date +%s%N; date -u; date -d "2 days ago"; date -d "10:30 tomorrow" +%c'),
  bash(
    'TZ=America/New_York date; TZ=Asia/Tokyo date +%Z; printf "%(%F %T %Z)T\\n" -1; echo $EPOCHSECONDS $EPOCHREALTIME',
  ),
  bash(
    'ls -l --time-style=full-iso; ls -lt many | head -5; stat -c "%n %y %w %i %a" notes.txt; find . -newer notes.txt -type f | sort | head',
  ),
  bash('touch a1; sleep 2; touch a2; [ a2 -nt a1 ] && echo newer; ls -t a1 a2; date -r a2 +%T; rm a1 a2'),
  bash('time sleep 2.5; times; echo $SECONDS'),
  bash('SECONDS=0; while [ $SECONDS -lt 3 ]; do :; done; date +%T.%N'),
  bash('end=$(($(date +%s) + 1)); n=0; while [ $(date +%s) -lt $end ]; do n=$((n + 1)); done; echo $n'),
  bash('timeout 3 sleep 10; echo $?; timeout 0.3 bash -c "while :; do :; done"; echo $?; date +%T'),
  bash('(sleep 3; echo c) & (sleep 1; echo a) & (sleep 2; echo b) & wait; jobs; date +%T'),
  bash('sleep 30 | { read -t 5 x; echo $?; date +%T; }'),
  bash('sleep 600', { timeout_ms: 20000 }),
  bash('while :; do :; done', { timeout_ms: 300 }),
  bash('jq -n "now | floor, (now | todate), (0 | strftime(\\"%c\\"))"; awk "BEGIN { print systime(), strftime() }"'),
  bash('uptime; who; dd if=/dev/zero of=/tmp/z bs=1000 count=5; pr -l 20 notes.txt | head -3'),
]

const randomInTheShell = [
  bash('echo $RANDOM $RANDOM $SRANDOM; RANDOM=7; echo $RANDOM $$ $BASHPID'),
  bash('mktemp; mktemp -d; mktemp -u XXXXXX; ls /tmp | wc -l'),
  bash('head -c 16 /dev/urandom | xxd; od -An -N8 -tx1 /dev/random'),
  bash('awk "BEGIN { print rand(), rand(); srand(); print rand(); srand(5); print rand() }"'),
  bash('shuf -i 1-20 | tr "\\n" " "; seq 10 | shuf -n 3; seq 30 | sort -R | head -4'),
  bash('cat /proc/sys/kernel/random/uuid 2>&1; hostname; whoami; nproc; uname -a; set | grep ^BASH_V'),
]

const archivesInTheShell = [
  bash('tar cf a.tar src many; tar tvf a.tar | head -4; md5sum a.tar'),
  bash('tar czf a.tgz src; md5sum a.tgz; tar tzf a.tgz; tar xzf a.tgz -C /tmp; ls -l /tmp/src'),
  bash('tar --mtime="2020-01-01 10:00" -cf m.tar notes.txt; tar tvf m.tar; rm m.tar'),
  bash(
    'gzip -k src/list.txt; gzip -l src/list.txt.gz; md5sum src/list.txt.gz; zcat src/list.txt.gz | tail -1; gunzip -c src/list.txt.gz | md5sum',
  ),
  bash('zip -r b.zip src many; md5sum b.zip; unzip -o -d /tmp/u b.zip | tail -2; unzip -l b.zip | head -5'),
  bash('bzip2 -k notes.txt; xz -k notes.txt; md5sum notes.txt.*'),
  bash('git archive HEAD | md5sum; git gc -q 2>&1; git bundle create x 2>&1 | head -2'),
]

const besideEachOther = [
  bash('for i in 1 2 3 4; do (for j in $(seq 600); do :; done; echo $i; cat notes.txt | head -1) & done; wait'),
  bash('seq 12 | xargs -P 4 -I{} sh -c "cat many/f{}.txt | wc -l; echo {}"'),
  bash(
    'cat src/list.txt | sort -k3n | uniq -c | sort -rn | head -3; find . -name "*.txt" | xargs grep -l "text 3" | head',
  ),
  bash('git log --oneline | cat & git status --short | head -3 & ls; wait'),
  bash('for i in 1 2 3; do { echo $i >> log; sleep 0.$i; wc -l < log; } & done; wait; rm log'),
  bash('exec 3> >(sort -r); seq 3 >&3; exec 3>&-; diff <(seq 3) <(seq 2 4); sleep 1'),
]

const javascript = [
  bash(
    "node -p 'new Date().toString() + Date.now() + new Date(0).toLocaleString() + new Intl.DateTimeFormat().resolvedOptions().timeZone'",
  ),
  bash(
    "node -p '[Math.random(), performance.now(), process.hrtime(), process.uptime(), new Date(2020, 5, 1).getTimezoneOffset()].join()'",
  ),
  bash(
    'node -p \'const c = require("crypto"); c.randomUUID() + c.randomBytes(8).toString("hex") + crypto.getRandomValues(new Uint8Array(4))\'',
  ),
  bash(
    'node -e \'setTimeout(() => console.log("late", Date.now()), 5000); setInterval(function () { console.log(1); if (this.n = (this.n || 0) + 1, this.n > 2) clearInterval(this) }, 700)\'',
  ),
  bash(
    'node -e \'console.time("t"); for (let i = 0; i < 1e5; i++); console.timeEnd("t"); console.log([3, 1, 2].toSorted(), ["ä", "z", "a"].sort((a, b) => a.localeCompare(b)))\'',
  ),
  bash(
    'node -e \'const fs = require("fs"); fs.writeFileSync("js.txt", "x"); const s = fs.statSync("js.txt"); console.log(s.mtime, s.ino, fs.readdirSync(".").length); console.log(require("child_process").execSync("sleep 3; date").toString())\'',
  ),
]

const damagedAndDeep = [
  bash(
    'gzip -k notes.txt; cat notes.txt.gz notes.txt.gz | zcat; echo $?; { cat notes.txt.gz; echo junk; } | zcat; echo $?',
  ),
  bash(
    'head -c 20 notes.txt.gz | zcat; echo $?; printf abc | zcat; echo $?; zcat notes.txt; echo $?; tar tzf notes.txt; echo $?',
  ),
  bash(
    'head -c 300 all.zip > bad.zip; unzip -l bad.zip; echo $?; unzip -p all.zip src/app.js; zip -T all.zip; rm bad.zip',
  ),
  polyfs('archive', { action: 'list', path: 'notes.txt' }),
  bash('f() { f; }; f; echo $?'),
  bash("node -e 'let n = 0; function f() { n++; f() } try { f() } catch (e) { console.log(n, e.message) }'"),
  bash(
    "awk 'function f(n) { return n < 50 ? f(n + 1) : n } BEGIN { print f(0) } '; awk 'function f(n) { return f(n + 1) } BEGIN { f(0) }'; echo $?; jq -n 'def f: if . < 50 then . + 1 | f else . end; 0 | f'",
  ),
  bash(
    'nest() { printf "$1%.0s" $(seq $2); }; jq -c . <<< "$(nest [ 100)$(nest ] 100)" | wc -c; echo $(($(nest "(" 150)1$(nest ")" 150))); echo $(($(nest "(" 5000)1$(nest ")" 5000)))',
  ),
  bash(
    "jq . <<< '{bad'; node -e 'JSON.parse(\"{bad\")' 2>&1 | head -5; grep -P '(?<' notes.txt; sed 's/[/x/'; awk 'BEGIN { print substr(1'",
  ),
  bash(
    "awk 'BEGIN { print sin(1), cos(2), exp(1), log(3), 2 ^ 0.5, atan2(1, 2) }'; bc -l <<< 's(1); e(1)'; jq -n '[1.5 | sin, exp, pow(.; 0.3)]' -c",
  ),
  bash(
    "node -p '[Math.sin(1), Math.exp(1), 0.1 + 0.2, 1e21, (25).toString(7), \"ǅ\".toUpperCase(), \"İI\".toLowerCase()].join()'; echo ÄÖ | tr A-Z a-z; echo straße | awk '{ print toupper($0) }'; printf 'b\\nÄ\\na\\nB\\n' | sort",
  ),
  bash(
    'seq 400000 | md5sum; yes | head -c 3000000 | gzip | gunzip | wc -c; cat src/list.txt{,,,} | sort | uniq -d | wc -l',
  ),
  bash(
    'for i in $(seq 300); do echo $i > many/g$i; done; rm many/g*; ls many | wc -l; x=; for i in $(seq 2000); do x=$x$i; done; echo ${#x}',
  ),
  bash(
    'a=(); for i in {1..5}; do a+=($((RANDOM % 10))); done; echo ${a[@]}; declare -A m=([z]=1 [b]=2 [y]=3); echo ${!m[@]}; trap "echo bye; date" EXIT; sleep 1',
  ),
]

const otherDialects = [
  { dialect: 'clarvis', tool: 'write_file', args: { path: 'clarvis.txt', content: 'one\ntwo\n' } },
  { dialect: 'clarvis', tool: 'edit_file', args: { path: 'clarvis.txt', old_string: 'two', new_string: 'three' } },
  { dialect: 'clarvis', tool: 'list_dir', args: { path: '.' } },
  { dialect: 'clarvis', tool: 'grep', args: { pattern: 'text 1' } },
  { dialect: 'clarvis', tool: 'glob', args: { pattern: '**/*.js' } },
  { dialect: 'clarvis', tool: 'bash', args: { command: 'date; seq 60000; echo $RANDOM >&2' } },
  { dialect: 'clarvis', tool: 'bash', args: { command: 'sleep 5', timeout_ms: 1000 } },
  { dialect: 'fs-context', tool: 'list_directory', args: { path: '/' } },
  { dialect: 'fs-context', tool: 'get_file_info', args: { path: '/notes.txt' } },
  { dialect: 'fs-context', tool: 'search_files', args: { path: '/', pattern: '**/*.txt', timeoutMs: 100 } },
  { dialect: 'fs-context', tool: 'search_content', args: { path: '/src', pattern: 'line 1' } },
  { dialect: 'fs-context', tool: 'get_multiple_file_info', args: { paths: ['/notes.txt', '/all.zip', '/src'] } },
  { dialect: 'file-editor', tool: 'set_workspace', args: { path: '/' } },
  { dialect: 'file-editor', tool: 'list_files', args: { path: 'many', recursive: true } },
  { dialect: 'file-editor', tool: 'insert_contents', args: { path: 'notes.txt', line: 1, content: 'first' } },
  {
    dialect: 'file-editor',
    tool: 'search_and_replace',
    args: { path: 'notes.txt', search: 'first', replace: 'begin' },
  },
  { dialect: 'fs', tool: 'fs.list_files', args: { path: '.' } },
  { dialect: 'fs', tool: 'fs.search_text', args: { query: 'text 2' } },
  { dialect: 'fs', tool: 'fs.read_file', args: { path: 'notes.txt' } },
  { dialect: 'replay', tool: 'get_file_info', args: { path: '/notes.txt' } },
  { dialect: 'replay', tool: 'directory_tree', args: { path: '/src' } },
  {
    dialect: 'replay',
    tool: 'edit_file',
    args: { path: '/notes.txt', edits: [{ oldText: 'begin', newText: 'start' }] },
  },
  { dialect: 'replay', tool: 'execute_command', args: { command: 'date; sleep 40; date', timeout: 30 } },
  { dialect: 'replay', tool: 'grep_files', args: { directory: '/', regex: 'text 5' } },
  polyfs('bash', { command: 'cd src; export A=1; date', session: 's' }),
  polyfs('bash', { command: 'pwd; echo $A; date; cat /tmp/src/app.js', session: 's' }),
  polyfs('history', { action: 'list' }),
]

export const calls = [
  ...edits,
  ...archivesAndGit,
  ...timesInTheShell,
  ...randomInTheShell,
  ...archivesInTheShell,
  ...besideEachOther,
  ...javascript,
  ...damagedAndDeep,
  ...otherDialects,
]
