import { linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { editFiles } from '../../../src/ops/many/edit-files.js'
import { temporaryDirectory } from '../cli/run-cli.js'

test('hard links of one file are each edited once, and are files of their own then', async () => {
  const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
  mkdirSync(join(root, 'd'))
  writeFileSync(join(root, 'a.txt'), 'x\n')
  linkSync(join(root, 'a.txt'), join(root, 'd/b.txt'))
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
  onTestFinished(() => workspace.close())
  const edits = [{ kind: 'literal' as const, find: 'x', replace: 'xx', count: 'all' as const }]
  const { files } = await workspace.run(editFiles, { select: {}, edits })
  expect(files.map(({ places }) => places)).toEqual([1, 1])
  const names = ['a.txt', 'd/b.txt'].map((name) => join(root, name))
  expect(names.map((name) => readFileSync(name, 'utf8'))).toEqual(['xx\n', 'xx\n'])
  expect(names.map((name) => statSync(name).nlink)).toEqual([1, 1])
  await workspace.history.undo()
  expect(names.map((name) => readFileSync(name, 'utf8'))).toEqual(['x\n', 'x\n'])
})
