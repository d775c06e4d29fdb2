/** Entries that could not be extracted again are reported when an archive is created. */
import { expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createArchive } from '../../../src/ops/archive/create-archive.js'
import { extractArchive } from '../../../src/ops/archive/extract-archive.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const odd = ['12:30.log', 'aux.txt', 'back\\s']
const files = Object.fromEntries([...odd, 'plain.txt'].map((name) => [`/src/${name}`, name]))

test('the operation lists exactly the names that extract refuses', async () => {
  const workspace = createWorkspace({ fs: memory(files) })
  const pack = (path: string, from: string[]) =>
    createArchive.run(createArchive.input.parse({ path, from, base: '/src' }), workspace, {})
  const unpack = (path: string, to: string) =>
    extractArchive.run(extractArchive.input.parse({ path, to }), workspace, {})
  expect((await pack('/all.zip', ['/src'])).unportable).toEqual(odd)
  for (const name of odd) {
    expect((await pack(`/${name}.zip`, [`/src/${name}`])).unportable).toEqual([name])
    await expect(unpack(`/${name}.zip`, '/out')).rejects.toMatchObject({ code: 'BAD_ARCHIVE', facts: { entry: name } })
  }
  expect((await pack('/plain.zip', ['/src/plain.txt'])).unportable).toEqual([])
  expect((await unpack('/plain.zip', '/out')).files).toBe(1)
})

test('a directory whose name is refused only as one is among them', async () => {
  const workspace = createWorkspace({ fs: memory({ '/~x/': '' }) })
  const pack = createArchive.input.parse({ path: '/all.zip', from: ['/~x'] })
  expect((await createArchive.run(pack, workspace, {})).unportable).toEqual(['~x/'])
  const unpack = extractArchive.input.parse({ path: '/all.zip', to: '/out' })
  await expect(extractArchive.run(unpack, workspace, {})).rejects.toMatchObject({ facts: { entry: '~x/' } })
})

test('so does the tool', async () => {
  const workspace = createWorkspace({ fs: memory(files) })
  const args = { action: 'create', path: 'all.zip', paths: ['src'], ignored: true }
  const { content } = await callTool(workspace, polyfs, 'archive', args)
  expect(content.at(-1)?.text).toContain(
    '[warning: extract refuses these names, rename them first: src/12:30.log, src/aux.txt, src/back\\s]\n',
  )
})

test('extract reports what is wrong with a name, and what to do', async () => {
  const workspace = createWorkspace({ fs: memory({ '/src/12:30.log': 'x' }) })
  await callTool(workspace, polyfs, 'archive', { action: 'create', path: 'all.zip', paths: ['src'] })
  const { content } = await callTool(workspace, polyfs, 'archive', {
    action: 'extract',
    path: 'all.zip',
    destination: 'out',
  })
  expect(content).toEqual([
    {
      type: 'text',
      text: 'bad_archive: The archive all.zip is refused: a name that Windows reserves, or takes for another file (with a colon) (src/12:30.log). Nothing was unpacked. Get an archive in which that file has another name; no option allows it.',
    },
  ])
})

test('a file that expands like an archive bomb is named too, and a smaller one is not', async () => {
  const fs = memory({ '/dense': '', '/small': '' })
  await fs.writeFile('/dense', new Uint8Array(30 << 20))
  await fs.writeFile('/small', new Uint8Array(1 << 20))
  const workspace = createWorkspace({ fs })
  const pack = createArchive.input.parse({ path: '/all.zip', from: ['/dense', '/small'] })
  expect((await createArchive.run(pack, workspace, {})).tooDense).toEqual(['dense'])
  const unpack = extractArchive.input.parse({ path: '/all.zip', to: '/out' })
  await expect(extractArchive.run(unpack, workspace, {})).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
  const args = { action: 'create', path: 'again.zip', paths: ['dense'], ignored: true }
  const { content } = await callTool(workspace, polyfs, 'archive', args)
  expect(JSON.stringify(content)).toContain('extract refuses these files, which expand like an archive bomb: dense')
})
