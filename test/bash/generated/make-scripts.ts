/** Small makefiles and calls of make, made from a seed. What a shell says of a command it can't read is left out: the machine's is another. */
import type { Random } from '../../core/search/generated-trees.js'

const words = ['a', 'b', 'c', 'out', 'lib', 'x.o', 'y.o', 'main.c', 'sub/z.o', 'sub/q.c', '-f', 'A.b.c']
const patterns = ['%.o', '%.c', 'a%', '%', 'sub/%', '%b%', 'x.o', 'l%b']
const names = ['A', 'B', 'C', 'D']
const targets = ['all', 'one', 'two', 'three.x', 'four.x', 'five.y']

type One = <Item>(items: readonly Item[]) => Item

export function makeScript(random: Random): string {
  const one: One = (items) => items[random(items.length)] as (typeof items)[number]
  const chance = (share: number) => random(100) < share * 100
  const some = (most: number, make: () => string) => Array.from({ length: random(most + 1) }, make).join(' ')
  const text = (depth = 0): string => some(3, () => (chance(0.45) ? reference(depth) : one(words)))

  function reference(depth: number): string {
    const name = one(names)
    if (depth > 2 || chance(0.3))
      return one([`$(${name})`, `\${${name}}`, `$(${name}:.o=.c)`, `$(${name}:${one(patterns)}=${one(patterns)})`])
    const inner = () => text(depth + 1)
    return one([
      () => `$(subst ${one(words)},${one(words)},${inner()})`,
      () => `$(patsubst ${one(patterns)},${one(patterns)},${inner()})`,
      () => `$(filter ${one(patterns)} ${one(words)},${inner()})`,
      () => `$(filter-out ${one(patterns)},${inner()})`,
      () =>
        `$(${one(['sort', 'strip', 'words', 'firstword', 'lastword', 'dir', 'notdir', 'suffix', 'basename'])} ${inner()})`,
      () => `$(word ${1 + random(3)},${inner()})`,
      () => `$(wordlist ${1 + random(2)},${random(4)},${inner()})`,
      () => `$(${one(['addprefix', 'addsuffix', 'join', 'findstring'])} ${one(words)},${inner()})`,
      () => `$(if ${inner()},${inner()},${inner()})`,
      () => `$(or ${inner()},${inner()})`,
      () => `$(and ${inner()},${inner()})`,
      () => `$(foreach i,${inner()},<$(i)>$(call swap,$(i),${one(words)}))`,
      () => `$(call swap,${inner()},${inner()})`,
      () => `$(${one(['origin', 'flavor', 'value'])} ${name})`,
      () => `$(shell echo ${one(words)} ${one(words)})`,
      () => `$(wildcard *.${one(['c', 'x', 'in'])} ${one(words)})`,
    ])()
  }

  const statement = (): string => {
    const name = one(names)
    return one([
      () => `${name} = ${one(words)} ${one(words)}`,
      () => `${name} ${one([':=', '::=', '?=', '+='])} ${text()}`,
      () => `override ${name} += ${one(words)}`,
      () => `define ${name}\n${one(words)} $(origin A)\n${one(words)}\nendef`,
      () => `ifeq (${text(2)},${text(2)})\n${name} := yes\nelse\n${name} := no\nendif`,
      () => `if${one(['', 'n'])}def ${name}\n${name} += defined\nendif`,
      () => `$(info ${text()})`,
      () => `${one(targets)}: ${name} ${one(['=', ':=', '+='])} ${text(2)}`,
      () => `%.x: ${name} ${one(['=', '+='])} ${one(words)}`,
      () => `export ${name}`,
    ])()
  }

  const command = (): string =>
    `\t${one(['', '@', '@', '-', '@-'])}${one([
      () => `echo $@ ${one(['$<', '$^', '$*', '$(@D)', '$(<F)', '$+', '$|', '$(A)', '$(B)'])}`,
      () => `echo "${text()}"`,
      () => 'touch $@',
      () => `echo $@ >> log; touch $@`,
      () => 'false',
      () => 'test -e log',
      () => `echo one \\\n\t  two`,
      () => 'echo $$A $$B | cat',
      () => `echo $(words $^) $(${one(names)})`,
    ])()}\n`

  const recipe = () => Array.from({ length: random(3) }, command).join('')
  const needed = (index: number) => [...targets.slice(index + 1), 'in.in', 'x.in'].filter(() => chance(0.35)).join(' ')

  const lines = [`swap = $(2)$(1)`, ...Array.from({ length: 4 }, statement)]
  const rules = targets.map((target, index) => {
    if (index > 0 && chance(0.25)) return ''
    const order = chance(0.15) ? ' | in.in' : ''
    return `${target}:${chance(0.08) ? ':' : ''} ${needed(index)}${order}\n${recipe()}`
  })
  const pattern = chance(0.7) ? `%.x: %.in\n${recipe()}` : `%.x: %.w\n\tcp $< $@\n%.w: %.in\n\tcp $< $@\n`
  const special = one([
    '.PHONY: all one\n',
    '.PHONY: all\n',
    '',
    '.DELETE_ON_ERROR:\n',
    '.SILENT:\n',
    '.SUFFIXES:\n',
    '.IGNORE:\n',
  ])
  const makefile = `${lines.join('\n')}\n${rules.join('')}${pattern}${special}`
  const options = some(2, () =>
    one(['-k', '-n', '-s', '-i', '-B', '-r', '-q', 'A=given', '-e', '-w --no-print-directory', '-t']),
  )
  const goals = some(2, () => one(targets))
  return `cat > Makefile <<'END OF MAKEFILE'
${makefile}END OF MAKEFILE
touch -d '2024-01-01' in.in x.in three.in main.c
${chance(0.5) ? 'touch three.in four.in x.in; ' : ''}export B=env
{ make ${options} ${goals}; echo "[$?]"; make ${goals}; echo "[$?]"; } 2>&1 | grep -v "^/bin/sh: "
`
}
