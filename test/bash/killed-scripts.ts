/** Generated scripts on a few names, and ways in which they are ended. */

export interface GeneratedCommand {
  script: string
  /** Where the shell ends it by itself; most are not ended at all. */
  timeoutMs?: number
  maxStatements?: number
  maxStreamBytes?: number
  /** At which message of its thread it is aborted from outside, or its thread dies. */
  ends?: { how: 'abort' | 'crash'; atMessage: number }
}

type Choose = <Item>(items: readonly Item[]) => Item

const names = ['a', 'b', 'c', 'd', 'd/a', 'd/b', 'd/e', 'd/e/a', 'f', 'f/a', 'l', 'l/a']
/** A directory without the right to enter it hides what is in it from everybody. */
const modes = ['700', '711', '750', '755', '500', 'u-w', 'u+w']

const statements: ReadonlyArray<(name: () => string, number: () => number, mode: () => string) => string> = [
  (name) => `mkdir -p ${name()}`,
  (name, number) => `echo ${number()} > ${name()}`,
  (name, number) => `echo ${number()} >> ${name()}`,
  (name, number) => `for i in 1 2 3; do echo $i ${number()} >> ${name()}; done`,
  (name) => `cat ${name()} ${name()} > ${name()}`,
  (name) => `mv ${name()} ${name()}`,
  (name) => `mv -f ${name()} ${name()} ${name()}`,
  (name) => `rm -rf ${name()}`,
  (name) => `rm -f ${name()}; mkdir ${name()}`,
  (name) => `cp -r ${name()} ${name()}`,
  (name) => `cp -p ${name()} ${name()}`,
  (name) => `ln -s ${name()} ${name()}`,
  (name) => `ln -sfn ${name()} ${name()}`,
  (name, _, mode) => `chmod ${mode()} ${name()}`,
  (name) => `cd ${name()}`,
  () => 'cd ..',
  (name, number) => `(cd ${name()} && echo ${number()} > ${name()})`,
  (name, number) => `{ sleep 0.00${number() % 9}; echo ${number()} >> ${name()}; cp ${name()} ${name()}; } &`,
  (name) => `while :; do cp ${name()} ${name()}; sleep 0.001; done & sleep 0.01; kill $!`,
  () => 'wait',
  (name, number) => `trap 'echo ${number()} >> ${name()}' EXIT`,
  (name, number) => `cat > ${name()} <<END\n${number()}\n$PWD\nEND`,
  (name) => `tar cf ${name()} ${name()} ${name()}`,
  (name) => `tar xf ${name()}`,
  (name, number) => `sed -i s/1/${number()}/ ${name()}`,
  (name) => `touch -d 2020-01-01 ${name()}`,
  (name) => `head -c 70000 /dev/zero > ${name()}`,
  (name, number) => `seq ${number() * 50} | tee ${name()} | sort -r > ${name()}`,
  (name) => `while read -r line; do echo "$line" >> ${name()}; done < ${name()}`,
  (name) => `exec 3>> ${name()}; echo held >&3; mv ${name()} ${name()}; echo more >&3; exec 3>&-`,
  (name) => `cat ${name()} > /tmp/kept; mv /tmp/kept ${name()}`,
  (name) => `gzip -kf ${name()}; gunzip -f ${name()}.gz`,
  (name) => `git init -q ${name()}; git -C ${name()} add -A`,
]

/** Beyond what a command of 16 MB may hold. */
const bomb = 'x=$(head -c 3000000 /dev/zero | tr "\\0" a)'

/** `label` begins the script, and so the label of its change. */
export function generatedCommand(label: string, random: () => number): GeneratedCommand {
  const choose: Choose = (items) => items[Math.floor(random() * items.length)] as (typeof items)[number]
  const number = () => Math.floor(random() * 20)
  const name = () => choose(names)
  const lines = Array.from({ length: 1 + Math.floor(random() * 9) }, () =>
    choose(statements)(name, number, () => choose(modes)),
  )
  const at = Math.floor(random() * (lines.length + 1))
  const script = (stop?: string) =>
    [`: ${label}`, ...(stop === undefined ? lines : [...lines.slice(0, at), stop, ...lines.slice(at)])].join('\n')
  const way = random()
  if (way < 0.3) return { script: script() }
  if (way < 0.5) return { script: script(), maxStatements: 1 + Math.floor(random() * 12) }
  if (way < 0.7) return { script: script(), ends: { how: 'abort', atMessage: 2 + Math.floor(random() * 20) } }
  if (way < 0.8) return { script: script(), ends: { how: 'crash', atMessage: 2 + Math.floor(random() * 20) } }
  if (way < 0.87) return { script: script(bomb) }
  if (way < 0.94) return { script: script('while :; do :; done'), timeoutMs: 100 }
  return { script: script('yes'), maxStreamBytes: 1000 }
}
