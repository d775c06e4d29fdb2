/** Prints the transcript of the built project, for tests that run it in a process of its own. */
import { callTool } from '../../../../dist/dialect.js'
import { createWorkspace, loadDialect, memory } from '../../../../dist/index.js'
import { emulatedShell } from '../../../../dist/node/index.js'
import { transcript } from './transcript.mjs'

const { answers } = await transcript({ createWorkspace, memory, loadDialect, callTool, shell: emulatedShell() })
process.stdout.write(JSON.stringify(answers))
