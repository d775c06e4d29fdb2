/** Prints the transcript of the built project, for tests that run it in a process of its own. */
import { transcript } from './transcript.mjs'

/** Not by name, because types are not checked in what was built. */
const built = (file) => import(new URL(`../../../dist/${file}`, import.meta.url).href)

const { callTool } = await built('dialect.js')
const { loadDialect } = await built('index.js')
const { openEpisode } = await built('harness.js')
const { emulatedShell } = await built('node/bash.js')
const { answers } = await transcript({ openEpisode, loadDialect, callTool, shell: emulatedShell() })
process.stdout.write(JSON.stringify(answers))
