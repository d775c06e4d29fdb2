/** An episode in memory: an agent changes files, its work is looked at, and some of it is undone. */
import { createWorkspace, memory, tools } from 'polyfs'

const workspace = createWorkspace({
  fs: memory({
    'src/price.ts': 'export const price = 10\n',
    'src/total.ts': "import { price } from './price'\n\nexport const total = price * 2\n",
  }),
})
const { callText } = tools(workspace)

// What a model would call.
console.log(await callText('grep', { pattern: 'price', output: 'files' }))
const start = await workspace.changes.checkpoint('start')
await callText('edit_file', { path: 'src/price.ts', old_string: '10', new_string: '12' })
await callText('write_file', { path: 'src/tax.ts', content: 'export const tax = 0.2\n' })

for (const { path, before, after } of await workspace.history.differences(start.id)) {
  console.log(`${path}: ${before.kind} -> ${after.kind}`)
}

// The last change alone, then everything since the checkpoint.
console.log((await workspace.history.undo()).label)
await workspace.history.restore('start')
console.log((await workspace.history.differences(start.id)).length, 'differences')
