import { expect, it } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { editText } from '../../../src/ops/edit-text.js'
import { readText } from '../../../src/ops/read-text.js'
import { searchText } from '../../../src/ops/search-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const workspace = createWorkspace({ fs: memory({ '/a': 'text\n' }) })
const edits = [{ kind: 'literal' as const, find: 'text', replace: 'new' }]
const matcher = { pattern: 'text', syntax: 'literal' as const }

it.each([
  ['a search without a pattern', ['request', 'matcher'], () => search({ mode: 'files' })],
  ['a search with an unknown mode', ['request', 'mode'], () => search({ matcher, mode: 'lines' })],
  ['a negative limit', ['request', 'limit'], () => search({ matcher, mode: 'files', limit: -1 })],
  ['an unknown rule of matching', ['options', 'rules', 0], () => edit({ rules: ['fuzzy'] })],
  ['an unknown way to count lines', ['counting', 'breaks'], () => read({ breaks: 'page' })],
])('%s is refused before anything is read', async (_name, at, run) => {
  await expect(run()).rejects.toMatchObject({ code: 'INVALID_INPUT', facts: { issues: [{ at }] } })
})

async function search(request: object) {
  return workspace.run(searchText, { request: request as never })
}

async function edit(options: object) {
  return workspace.run(editText, { path: '/a', edits, options: options as never })
}

async function read(counting: object) {
  return workspace.run(readText, { path: '/a', counting: counting as never })
}
