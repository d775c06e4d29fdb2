/** Trees that are copied over others, many files at once: compared with bash. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { scaled } from '../scale.js'
import { sameAsBash } from './same-as-bash.js'

/** Entries of both trees have the same names, so that they are in each other's way. */
const entry = fc
  .tuple(fc.constantFrom('from', 'to/from'), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 20 }))
  .map(([tree, number, kind]) => {
    const path = `${tree}/f${number}`
    if (kind === 0) return `mkdir ${path}; echo below > ${path}/f1; echo more > ${path}/f2`
    // Nothing is copied to what a link leads to: in which order that would happen is not defined.
    if (kind === 1 && tree === 'from') return `ln -s f${(number % 40) + 1} ${path}`
    if (kind === 1) return `echo behind > to/x${number}; ln -s ../x${number} ${path}`
    if (kind === 2) return `ln -s nowhere${number} ${path}`
    if (kind === 3) return `echo ${number} > ${path}; chmod 755 ${path}`
    if (kind === 4) return `head -c 3000 /dev/zero > ${path}; touch -d @86400 ${path}`
    return `echo ${tree}${number} > ${path}`
  })
const options = fc.constantFrom('', ...['-a', '-p', '-n', '-f', '-L', '-P', '-H', '-b', '-s', '-sf', '-v'])
const removing = fc.constantFrom('', '', '--remove-destination', '--attributes-only', '-S .old -b')
const whatIsThere = "find . -printf '%p %y %m %l\\n' | sort; find . -type f -size -2k | sort | xargs cat"

/** Messages are in the order of the directory, which differs; their number and their text do not. */
const scripts = fc
  .tuple(fc.array(entry, { minLength: 20, maxLength: 120 }), options, removing)
  .map(([entries, given, other]) => {
    const make = `mkdir -p from to/from; { ${entries.join('\n')}\n} 2>/dev/null`
    return `umask 022; ${make}\ncp -r ${given} ${other} from to > said 2>&1; echo $?; sort said; rm said; ${whatIsThere}`
  })

test('what a copy leaves and says is what bash leaves and says', () => sameAsBash(scripts, scaled(150)))

const unpacking = fc
  .tuple(
    fc.array(entry, { minLength: 20, maxLength: 120 }),
    fc.constantFrom('', '-k', '--skip-old-files', '-m', '-p'),
    fc.constantFrom(
      'rm -r to/from/f*',
      'rm -rf to/from/f1* to/x*',
      'find to -name "f2*" -type f -delete',
      'rm -r from',
    ),
  )
  .map(([entries, given, removed]) => {
    const make = `mkdir -p from to/from; { ${entries.join('\n')}\n} 2>/dev/null`
    const unpack = `tar cf a.tar from; tar xf a.tar ${given} -C to 2>/dev/null; echo $?`
    const times = 'find . -type f -newermt @2000000 | sort'
    return `umask 022; ${make}\n${unpack}; ${times}; ${whatIsThere}; ${removed} 2>/dev/null; echo $?; find . | sort`
  })

test('what an archive leaves, and what is removed after that, is the same as in bash', () =>
  sameAsBash(unpacking, scaled(150)))

test.each([
  'mkdir a b; echo 1 > a/x; echo 2 > b/x; cp -sf a/x b/x; echo $?; cat b/x',
  'echo 1 > a; echo 2 > b; cp -sf a b; echo $?; readlink b; cp -s a b; echo $?; cp -s a a; echo $?',
  'echo 1 > a; echo 2 > b; echo n | cp -n -i a b; echo; cp -i -n a b; echo $?; cat b',
  'mkdir a b t; echo 1 > a/x; ln -s b k; cp -r a k; ls k/a; ln -s ../b t/a; cp -r a t; cp -rT a k; echo $?; ls b',
])('links and options: %s', (script) => sameAsBash(fc.constant(`{ ${script}; } 2>&1`), 1))

test('many files at once: what can not be copied is said in order, and all else is copied', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `f${String(index).padStart(2, '0')}`)
  const tree = Object.fromEntries(names.map((name) => [`from/${name}`, `${name}\n`]))
  const fs = memory({ ...tree, 'to/from/f03/x': 'x', 'to/from/f17/x': 'x', 'to/from/f18/x': 'x' })
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs, shell })
  onTestFinished(async () => workspace.shell?.close())
  // The copy of f10 is written to f11 first, and then the copy of f11.
  const { exitCode, stderr } = await run(workspace, 'ln -s f11 to/from/f10; echo > to/from/f11; cp -r from to')
  expect(exitCode).toBe(1)
  const isInTheWay = (name: string) => `cp: cannot overwrite directory 'to/from/${name}' with non-directory`
  expect(stderr.trimEnd().split('\n')).toEqual(['f03', 'f17', 'f18'].map(isInTheWay))
  const copied = (await run(workspace, 'cat to/from/f[0-9][0-9]')).stdout
  const expected = names.filter((name) => !['f03', 'f17', 'f18'].includes(name))
  expect(copied.trimEnd().split('\n')).toEqual(expected.map((name) => (name === 'f10' ? 'f11' : name)))
})

test('unzip goes on after a directory that a file is in the way of', async () => {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory({ 'a/d/f': '1', 'a/e': '2', 'to/a/d': 'in the way' }), shell })
  onTestFinished(async () => workspace.shell?.close())
  const { exitCode, stdout, stderr } = await run(workspace, 'zip -qr x.zip a; unzip -qo x.zip -d to; cat to/a/d to/a/e')
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'in the way2' })
  expect(stderr).toContain('checkdir error:  to/a/d exists but is not directory')
  expect((await run(workspace, 'unzip -qo x.zip -d to')).exitCode).toBe(2)
})
