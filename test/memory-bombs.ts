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
const limited = (says: string) => ({ exitCode: 126, says })
const tooLong = limited('string length limit exceeded')
const tooMuch = limited('total output size exceeded')
const tooMany = limited('array element limit exceeded')

/** A megabyte in `x`. */
const megabyte = 'x=a; for i in $(seq 20); do x=$x$x; done'
/** Variables of a megabyte each, without end. */
const fill = `while :; do i=$((i + 1)); declare "v$i=\${x^^}$i"; done`

export const memoryBombs: readonly MemoryBomb[] = [
  { name: 'a variable that doubles', command: 'x=a; while :; do x=$x$x; done', ...tooLong },
  {
    name: 'a variable that doubles by substitution',
    command: 'x=a; while :; do x=$(printf %s%s "$x" "$x"); done',
    ...tooMuch,
  },
  { name: 'a here-document that doubles', command: 'x=a; while :; do x=$(cat <<END\n$x$x\nEND\n); done', ...tooMuch },
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
  { name: 'an array that doubles', command: `a=(1 2 3 4); while :; do a=("\${a[@]}" "\${a[@]}"); done`, ...tooMany },
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
    name: 'braces',
    command: 'echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9} | wc -c',
    ...limited('brace expansion result limit exceeded'),
  },
  {
    name: 'a long sequence',
    command: 'for i in $(seq 1 1000000000); do :; done',
    ...limited('seq: iteration limit exceeded'),
  },
  { name: 'a wide format', command: 'printf %2000000000d 1 | wc -c', ...limited('format width limit exceeded') },
  {
    name: 'a wide format into a variable',
    command: 'printf -v x %2000000000d 1',
    ...limited('format width limit exceeded'),
  },
  {
    name: 'endless output in a substitution',
    command: `${megabyte}; y=$(while :; do echo "$x"; done)`,
    ...tooMuch,
  },
  {
    name: 'an array of awk',
    command: `awk 'BEGIN { x = "x"; for (k = 0; k < 20; k++) x = x x; while (1) a[i++] = toupper(x) i }'`,
    ...killed,
  },
  { name: 'small elements of awk', command: `awk 'BEGIN { while (1) a[i++] = i }'`, ...tooMany },
  {
    name: 'a string of awk',
    command: `awk 'BEGIN { s = "x"; while (1) s = s s }'`,
    ...limited('string concatenation size limit exceeded'),
  },
  {
    name: 'output of awk',
    command: `awk 'BEGIN { x = "x"; for (k = 0; k < 16; k++) x = x x; while (1) print x }' | cat`,
    ...limited('size'),
  },
  {
    name: 'the hold space of sed',
    command: `echo aaaa | sed ':a;H;G;h;ba'`,
    ...limited('space size limit exceeded'),
  },
  { name: 'an array of jq', command: `jq -n '[range(1000000000)]'`, ...limited('element limit exceeded') },
  { name: 'large strings of jq', command: `jq -n '[range(1000) | "x" * 1000000 | ascii_upcase]'`, ...killed },
  { name: 'a string of jq', command: `jq -n '"x" | until(false; . + .)'`, ...limited('string size limit exceeded') },
  {
    name: 'lines that are joined with each other',
    command: `seq 1 3000 | sed 's/.*/k &/' > f; join f f | wc -c`,
    ...tooMany,
  },
  {
    name: 'a file that doubles',
    command: 'head -c 1000000 /dev/zero > f; while :; do cat f f > g || exit; mv g f; done',
    ...tooMuch,
  },
  {
    name: 'ever more files',
    command: 'head -c 1000000 /dev/zero > f; while i=$((i + 1)); do cp f "f$i" || exit 3; done',
    exitCode: 3,
    says: 'no space left on device',
  },
  {
    name: 'an archive that is larger inside',
    command: `head -c 1000000 /dev/zero > z; gzip z; z=$(printf 'z.gz %.0s' $(seq 20)); zcat $z | wc -c; exit $PIPESTATUS`,
    exitCode: 1,
    says: 'zcat: more than',
  },
]
