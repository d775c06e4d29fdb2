/** The demo: a script instead of a model, on a sample of its own. */
import { type ScriptedStep, scriptedModel } from '../../models/scripted-model.js'

export const demoPrompt = 'Make the berths allow for the tide, and commit it.'

const step = (text: string, tool: string, args: Record<string, unknown>): ScriptedStep => ({
  text,
  calls: [{ tool, args }],
})

const steps: readonly ScriptedStep[] = [
  step('First I look at the project.', 'list_dir', { path: '.', depth: 2 }),
  step('Is there anything left to do in the code?', 'grep', { pattern: 'TODO' }),
  step('There is a TODO in `src/berths.ts`. I read the file.', 'read_file', { path: 'src/berths.ts' }),
  step('I edit the filter, but I remember the line wrongly.', 'edit_file', {
    path: 'src/berths.ts',
    old_string: 'return berths.filter((b) => b.depth > draughtMetres)',
    new_string: 'return berths',
  }),
  step('The error shows the actual line. Now the edit works.', 'edit_file', {
    path: 'src/berths.ts',
    edits: [
      { old_string: '  // TODO: allow for the tide\n', new_string: '' },
      {
        old_string: 'draughtMetres: number): Berth[] {',
        new_string: 'draughtMetres: number, tideMetres = 0): Berth[] {',
      },
      {
        old_string: 'berth.depthMetres > draughtMetres',
        new_string: 'berth.depthMetres + tideMetres > draughtMetres',
      },
    ],
  }),
  step('I can also run shell commands on the same files.', 'bash', {
    command:
      'grep -rn tideMetres src | wc -l && sort -t, -k2 -n data/arrivals.csv | tail -1 > notes/deepest.txt && cat notes/deepest.txt',
  }),
  step('I create a git repository; git runs in this page too.', 'bash', { command: 'git init -q -b main' }),
  step('I stage all files …', 'bash', { command: 'git add -A && git status --short' }),
  step('… and commit them.', 'bash', {
    command:
      "git -c user.name='Demo agent' -c user.email=agent@localhost commit -m 'Berths allow for the tide' && git log --oneline",
  }),
  step('I delete the data by mistake …', 'delete', { path: 'data', recursive: true }),
  step('… and undo it.', 'history', { action: 'undo' }),
  step('The data is back.', 'list_dir', { path: 'data' }),
  { text: '**Done.** Every step is in the history, and every message in the traffic log.' },
]

/** Slow enough to read along; tests do not wait. */
export function demoModel() {
  const isFast = new URLSearchParams(location.hash.slice(1)).has('fast')
  return scriptedModel(steps, { name: 'demo script', ...(isFast ? {} : { wordMs: 60, stepMs: 1800 }) })
}
