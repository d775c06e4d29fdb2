/** Commands that would fill the memory, for the emulated shell on every platform. Where the platform limits memory too, any may end as `killed`. */

export interface MemoryBomb {
  name: string
  command: string
  exitCode: number
  /** Part of stderr. */
  says: string
}

/** Memory limit of a command. */
export const bombMegabytes = 32
/** Limit of what a command may write. */
export const bombWrittenBytes = 8_000_000

export const killed = { exitCode: 137, says: `bash: killed: out of memory, a command may use ${bombMegabytes} MB\n` }
/** What streams takes little memory, however much it is. */
const fine = { exitCode: 0, says: '' }
const full = { exitCode: 1, says: 'No space left on device' }

/** A megabyte in `x`. */
const megabyte = 'x=a; for i in $(seq 20); do x=$x$x; done'
/** Variables of a megabyte each, without end. */
const fill = `while :; do i=$((i + 1)); declare "v$i=\${x^^}$i"; done`

export const memoryBombs: readonly MemoryBomb[] = [
  {
    name: 'a text of yq that doubles',
    command: `yq -n '"a" * 9000000 | . + . | . + . | . + . | . + . | . + .'`,
    ...killed,
  },
  { name: 'a variable that doubles', command: 'x=a; while :; do x=$x$x; done', ...killed },
  {
    name: 'a variable that doubles by substitution',
    command: 'x=a; while :; do x=$(printf %s%s "$x" "$x"); done',
    ...killed,
  },
  { name: 'a here-document that doubles', command: 'x=a; while :; do x=$(cat <<END\n$x$x\nEND\n); done', ...killed },
  { name: 'ever more variables', command: `${megabyte}; ${fill}`, ...killed },
  {
    name: 'ever more variables, from what is evaluated, after pipes',
    command: `${megabyte}; eval 'while :; do i=$((i + 1)); : | :; eval "v$i=\\\${x^^}$i"; done'`,
    ...killed,
  },
  { name: 'ever more variables in a subshell of a pipe', command: `${megabyte}; ( ${fill} ) | cat`, ...killed },
  { name: 'ever more variables in a substitution', command: `${megabyte}; y=$( ${fill} )`, ...killed },
  { name: 'ever more variables of a shell in a shell', command: `bash -c '${megabyte}; ${fill}'`, ...killed },
  {
    name: 'half in the shell, half in a shell that it runs',
    command: `${megabyte}; for i in $(seq 20); do declare "v$i=\${x^^}$i"; done; export x; bash -c '${fill}'`,
    ...killed,
  },
  { name: 'an array that doubles', command: `a=(1 2 3 4); while :; do a=("\${a[@]}" "\${a[@]}"); done`, ...killed },
  {
    name: 'an array of large elements',
    command: `${megabyte}; while :; do i=$((i + 1)); a+=("\${x^^}$i"); done`,
    ...killed,
  },
  {
    name: 'a table of large elements that is local to a function',
    command: `${megabyte}; f() { local -A t; while :; do i=$((i + 1)); t[$i]="\${x^^}$i"; done; }; f`,
    ...killed,
  },
  {
    name: 'locals of a function that calls itself',
    command: `${megabyte}; f() { local y="\${x^^}$1"; f $(($1 + 1)); }; f 1`,
    ...killed,
  },
  {
    name: 'variables that subshells hide from each other',
    command: `${megabyte}; f() { ( x="\${x^^}$1"; f $(($1 + 1)) ); }; f 1`,
    ...killed,
  },
  { name: 'positional parameters', command: `${megabyte}; while :; do set -- "$@" "\${x^^}$#"; done`, ...killed },
  {
    name: 'positional parameters of a function that calls itself',
    command: `${megabyte}; f() { f "$@" "\${x^^}$#"; }; f`,
    ...killed,
  },
  {
    name: 'braces',
    command: 'echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9} | wc -c',
    exitCode: 0,
    says: 'brace expansion: failed to allocate memory',
  },
  {
    name: 'a long sequence',
    command: 'for i in $(seq 1 1000000000); do :; done',
    ...killed,
  },
  {
    name: 'a wide format',
    command: 'printf %2000000000d 1 | wc -c',
    exitCode: 0,
    says: 'width is not supported by this shell',
  },
  {
    name: 'a wide format into a variable',
    command: 'printf -v x %2000000000d 1',
    exitCode: 1,
    says: 'width is not supported by this shell',
  },
  {
    name: 'endless output in a substitution',
    command: `${megabyte}; y=$(while :; do echo "$x"; done)`,
    ...killed,
  },
  {
    name: 'an array of awk',
    command: `awk 'BEGIN { x = "x"; for (k = 0; k < 20; k++) x = x x; while (1) a[i++] = toupper(x) i }'`,
    ...killed,
  },
  { name: 'small elements of awk', command: `awk 'BEGIN { while (1) a[i++] = i }'`, ...killed },
  {
    name: 'a string of awk',
    command: `awk 'BEGIN { s = "x"; while (1) s = s s }'`,
    ...killed,
  },
  {
    name: 'output of awk',
    command: `awk 'BEGIN { x = "x"; for (k = 0; k < 16; k++) x = x x; while (1) print x }' | head -c 100000000 | wc -c`,
    ...fine,
  },
  { name: 'an element of perl far behind the end', command: `perl -e '$a[1e9] = 1'`, ...killed },
  { name: 'the last index of an array of perl', command: `perl -e '$#a = 4e9'`, ...killed },
  { name: 'a list of perl', command: `perl -e 'my @a = (1..1e9)'`, ...killed },
  { name: 'pieces of a text of perl', command: `perl -e '@a = split //, "a" x 1e8'`, ...killed },
  { name: 'pushed elements of perl', command: `perl -e 'push @a, "x" x 100000 while 1'`, ...killed },
  { name: 'a string of perl', command: `perl -e '$s = "a"; $s .= $s while 1'`, ...killed },
  {
    name: 'the hold space of sed',
    command: `echo aaaa | sed ':a;H;G;h;ba'`,
    ...killed,
  },
  { name: 'an array of jq', command: `jq -n '[range(1000000000)]'`, ...killed },
  { name: 'large strings of jq', command: `jq -n '[range(1000) | "x" * 1000000 | ascii_upcase]'`, ...killed },
  { name: 'a string of jq', command: `jq -n '"x" | until(false; . + .)'`, ...killed },
  { name: 'a repeated string of jq', command: `jq -n '"x" * 500000000 | ascii_upcase | length'`, ...killed },
  {
    name: 'an array that jq reduces',
    command: `jq -n 'reduce range(1000000000) as $i ([]; . + [$i]) | length'`,
    ...killed,
  },
  {
    name: 'an object that jq reduces',
    command: `jq -n 'reduce range(1000000000) as $i ({}; . + {"k\\($i)": 1}) | length'`,
    ...killed,
  },
  {
    name: 'members of an object that jq reduces',
    command: `jq -n 'reduce range(1000000000) as $i ({}; .["k\\($i)"] = 1) | length'`,
    ...killed,
  },
  {
    name: 'an index of jq',
    command: `jq -n '.[300000000] = 1 | length'`,
    exitCode: 5,
    says: 'Array index too large',
  },
  {
    name: 'a value of jq that has itself many times',
    command: `jq -n 'def f: [., .]; reduce range(40) as $i (1; f) | tojson | length'`,
    ...killed,
  },
  {
    name: 'a long line of sed',
    command: `yes | head -c 500000000 | sed -z 's/y/zzzz/g' | wc -c; exit \${PIPESTATUS[2]}`,
    ...killed,
  },
  {
    name: 'matches in a long line',
    command: `head -c 20000000 /dev/zero | tr '\\0' a | grep -o . | wc -l`,
    ...killed,
  },
  {
    name: 'lines that are joined with each other',
    command: `seq 1 3000 | sed 's/.*/k &/' > f; join f f | wc -c`,
    ...fine,
  },
  {
    name: 'a file that doubles',
    command: 'head -c 1000000 /dev/zero > f; while :; do cat f f > g || exit; mv g f; done',
    ...full,
  },
  {
    name: 'ever more files',
    command: 'head -c 1000000 /dev/zero > f; while i=$((i + 1)); do cp f "f$i" || exit 3; done',
    exitCode: 3,
    says: 'No space left on device',
  },
  {
    name: 'an archive that is larger inside',
    command: `head -c 1000000 /dev/zero > z; gzip z; z=$(printf 'z.gz %.0s' $(seq 20)); zcat $z | wc -c; exit $PIPESTATUS`,
    ...fine,
  },
]

/** Commands that take much memory, again and again, and give it back. */
const endless = 'with recursive c(x) as (select 1 union all select x+1 from c)'

/** Of programs that need a package, which pages do not have. */
export const bombsOfPackages: readonly MemoryBomb[] = [
  {
    name: 'a value of sqlite that grows',
    command: `sqlite3 :memory: "${endless} select group_concat(hex(randomblob(1000))) from c"`,
    ...killed,
  },
  {
    name: 'a table of sqlite in memory',
    command: `sqlite3 :memory: "create table t(a); ${endless} insert into t select randomblob(1000) from c"`,
    ...killed,
  },
  {
    name: 'a database file that grows',
    command: `sqlite3 x.db "create table t(a); ${endless} insert into t select randomblob(5000) from c"`,
    ...killed,
  },
  {
    name: 'a table of sqlite that is laid out before it is printed',
    command: `sqlite3 -box :memory: "${endless} select x, 'text' from c"`,
    ...killed,
  },
  {
    name: 'rows of sqlite that are sorted',
    command: `sqlite3 :memory: "${endless} select x, hex(randomblob(500)) from c order by 2"`,
    ...killed,
  },
  { name: 'a blob of a gigabyte', command: `sqlite3 :memory: 'select length(hex(zeroblob(400000000)))'`, ...killed },
  {
    name: 'a text of Python that doubles',
    command: `python3 -c "x = 'a'\nwhile True: x += x"`.replaceAll('\\n', '\n'),
    exitCode: 1,
    says: 'MemoryError',
  },
]

export const memoryGivenBack: ReadonlyArray<{ name: string; command: string }> = [
  { name: 'a queue of perl', command: `perl -e 'for (1 .. 2e4) { push @a, "x" x 5e4; shift @a }'` },
  {
    name: 'locals of a function',
    command: `${megabyte}; f() { local y="\${x^^}$1"; }; for i in $(seq 100); do f $i; done`,
  },
  {
    name: 'parameters of a function',
    command: `${megabyte}; f() { set -- "$@" "$1"; }; for i in $(seq 100); do f "\${x^^}$i"; done`,
  },
  { name: 'variables for one command', command: `${megabyte}; for i in $(seq 100); do y="\${x^^}" true; done` },
  { name: 'variables that are unset', command: `${megabyte}; for i in $(seq 100); do y="\${x^^}$i"; unset y; done` },
  { name: 'an array that is assigned again', command: 'for i in $(seq 600); do a=($(seq 1000)); done' },
  {
    name: 'a table that is assigned again',
    command: `${megabyte}; declare -A t; for i in $(seq 100); do t=([a]="\${x^^}$i"); unset 't[a]'; done`,
  },
  {
    name: 'variables of subshells',
    command: `${megabyte}; for i in $(seq 100); do ( y="\${x^^}$i"; x=$y; set -- "$x" ); done`,
  },
  {
    name: 'results of jq',
    command: `for i in $(seq 60); do echo 1000000; done | jq -c '[range(.)] | length' | tail -1`,
  },
  {
    name: 'arrays that jq reduces',
    command: `jq -n '[range(400) | reduce range(10000) as $i ([]; . + [$i]) | length] | add'`,
  },
]
