/** An agent of the AI SDK on a folder that it can't change: its work stays in memory until its patch has been reviewed. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateText, jsonSchema, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { aiSdkTools, createWorkspace, tools } from 'polyfs'
import { nodeFs, openOverlay } from 'polyfs/node'
import { applyPatch } from 'polyfs/operations'

const folder = await mkdtemp(join(tmpdir(), 'polyfs-example-'))
await writeFile(join(folder, 'sum.js'), 'export const sum = (a, b) => a - b\n')
await writeFile(join(folder, 'README.md'), '# Sum\n')

/** A stand-in that needs no key: put any model of the AI SDK here, such as `anthropic('…')`. */
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const says = (tool: string, input: object) => ({
  content: [{ type: 'tool-call' as const, toolCallId: tool, toolName: tool, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage,
  warnings: [],
})
const model = new MockLanguageModelV3({
  doGenerate: [
    says('read_file', { path: 'sum.js' }),
    says('edit_file', { path: 'sum.js', old_string: 'a - b', new_string: 'a + b' }),
    says('delete', { path: 'README.md' }),
    {
      content: [{ type: 'text', text: 'It adds now.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    },
  ],
})

// The agent sees its changes, the disk does not.
const workspace = openOverlay([{ directory: folder, access: 'read-write' }])
const { text, steps } = await generateText({
  model,
  tools: aiSdkTools(tools(workspace), { jsonSchema }),
  stopWhen: stepCountIs(20),
  prompt: 'sum.js subtracts. Correct it.',
})
console.log(`${text} (${steps.length} steps)`)
const patch = new TextDecoder().decode((await workspace.patch()).patch)
await workspace.close()
console.log(patch)

/** The review: here a rule, otherwise a person who reads the patch. Only what passes is applied to the folder. */
const files = patch.split(/^(?=diff --git )/m)
const accepted = files.filter((part) => !part.includes('\ndeleted file mode'))
console.log(`${accepted.length} of ${files.length} files accepted`)
const disk = nodeFs(folder)
await createWorkspace({ fs: disk }).run(applyPatch, { patch: accepted.join('') })
await disk.close()
console.log((await readFile(join(folder, 'sum.js'), 'utf8')).trim(), await readFile(join(folder, 'README.md'), 'utf8'))
await rm(folder, { recursive: true })
