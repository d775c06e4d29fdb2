import { evaluate, treeIs } from '../checks.mjs'
import { pathsWhere, textOf } from '../repository/index.mjs'
import { officialEdits, readFolder } from '../steps.mjs'

const index = 'src/commands/index.js'
const model = 'src/commands/serve.js'
const manual = 'docs/reference/commands.md'
const added = 'src/commands/status.js'
const row = '| `status` | Show the state of the server |'
const status = textOf(model)
  .replaceAll(/serve(?!r)/g, 'status')
  .replace('Start the', 'Show the state of the')

/** @type {import('./task.mjs').Task} */
export const addCommand = {
  id: 'add-command',
  title: 'add a command: a new file, its registration, its documentation',
  prompt:
    'Add a command "status" with the summary "Show the state of the server" to this program, made like the command "serve": an object ' +
    'statusCommand in a file of its own in src/commands, the last one in the list of commands, and the last row in the table of ' +
    'docs/reference/commands.md.',
  check: ({ root }) =>
    treeIs(root, {
      [added]: async (source) => {
        const value = await evaluate(source, '[statusCommand.name, statusCommand.summary]')
        return String(value) === 'status,Show the state of the server' ? undefined : `statusCommand is ${value}`
      },
      [index]: (source) =>
        /^import \{ statusCommand \} from '\.\/status\.js'$/m.test(source) &&
        /serveCommand,\s*statusCommand,?\s*\]/.test(source)
          ? undefined
          : 'the command is not in the list',
      [manual]: textOf(manual).replace('| Start the server |', `| Start the server |\n${row}`),
    }),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Which commands are there?', call: ['list_dir', { path: 'src/commands' }] },
        { why: 'Read the model, the list and the page', call: ['read_file', { paths: [model, index, manual] }] },
        {
          why: 'All three changes at once',
          call: [
            'apply_patch',
            {
              patch: `*** Begin Patch
*** Add File: ${added}
${status.trimEnd().replaceAll(/^/gm, '+')}
*** Update File: ${index}
@@
 import { serveCommand } from './serve.js'
+import { statusCommand } from './status.js'
@@
   serveCommand,
+  statusCommand,
 ]
*** Update File: ${manual}
@@
 | \`serve\` | Start the server |
+${row}
*** End Patch
`,
            },
          ],
        },
      ],
    },
    official: {
      steps: [
        { why: 'Which commands are there?', call: ['list_directory', { path: 'src/commands' }] },
        {
          why: 'Read the model, the list and the page',
          call: ['read_multiple_files', { paths: [model, index, manual] }],
        },
        { why: 'Create the command', call: ['write_file', { path: added, content: status }] },
        {
          why: 'Register it',
          call: [
            'edit_file',
            {
              path: index,
              edits: [
                {
                  oldText: "import { serveCommand } from './serve.js'",
                  newText: "import { serveCommand } from './serve.js'\nimport { statusCommand } from './status.js'",
                },
                { oldText: '  serveCommand,', newText: '  serveCommand,\n  statusCommand,' },
              ],
            },
          ],
        },
        {
          why: 'Document it',
          call: [
            'edit_file',
            {
              path: manual,
              edits: [
                { oldText: '| `serve` | Start the server |', newText: `| \`serve\` | Start the server |\n${row}` },
              ],
            },
          ],
        },
      ],
    },
  },
}

const stated = ['README.md', 'docs/guide/getting-started.md', 'docs/index.md', 'package.json', 'src/version.js']
const bumped = Object.fromEntries(stated.map((path) => [path, textOf(path).replaceAll('2.4.1', '2.5.0')]))
const news = '## 2.5.0\n\n- Statements can be printed.\n\n'
const changelog = textOf('CHANGELOG.md').replace('## 2.4.1', `${news}## 2.4.1`)

/** @type {import('./task.mjs').Task} */
export const release = {
  id: 'release',
  title: 'a new version everywhere it is stated',
  prompt:
    'Prepare release 2.5.0: wherever code, package.json and documentation state the present version, 2.4.1, they state the new one. ' +
    'In CHANGELOG.md add a section "## 2.5.0" above the others, in their form, with one item: "Statements can be printed."',
  check: ({ root }) => treeIs(root, { ...bumped, 'CHANGELOG.md': changelog }),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Where is it stated?', call: ['grep', { pattern: '2.4.1', literal: true, glob: '*.{js,json,md}' }] },
        {
          why: 'State the new one',
          call: [
            'edit_file',
            { paths: stated, old_string: '2.4.1', new_string: '2.5.0', expected_count: stated.length },
          ],
        },
        {
          why: 'Add the section',
          call: ['edit_file', { path: 'CHANGELOG.md', old_string: '## 2.4.1\n', new_string: `${news}## 2.4.1\n` }],
        },
      ],
    },
    official: {
      steps: [
        { why: 'What is at the top?', call: ['list_directory', { path: '.' }] },
        { why: 'And in src?', call: ['list_directory', { path: 'src' }] },
        {
          why: 'The files that could state it, by their names',
          call: [
            'read_multiple_files',
            { paths: ['package.json', 'README.md', 'CHANGELOG.md', 'src/version.js', 'src/cli.js', 'src/context.js'] },
          ],
        },
        ...readFolder('docs', '.md'),
        ...officialEdits('State the new one', bumped),
        {
          why: 'Add the section',
          call: [
            'edit_file',
            { path: 'CHANGELOG.md', edits: [{ oldText: '## 2.4.1\n', newText: `${news}## 2.4.1\n` }] },
          ],
        },
      ],
    },
  },
}

const context = 'src/context.js'
const page = 'docs/guide/statements.md'
const gone = pathsWhere((path) => /^(src|test)\/fax\//.test(path))
const importLine = "import { faxStatement } from './fax/send.js'\n"
const propertyLine = '    fax: faxStatement,\n'
const without = {
  [context]: textOf(context).replace(importLine, '').replace(propertyLine, ''),
  [page]: textOf(page).replace(', or by fax (`src/fax/send.js`).', '.'),
}

/** @type {import('./task.mjs').Task} */
export const removeFeature = {
  id: 'remove-feature',
  title: 'remove a feature: its files and what refers to them',
  prompt:
    'Statements are no longer sent by fax. Delete the code for it and its test, and remove what refers to it: code in src, and in the ' +
    'documentation the words ", or by fax (…)". Change nothing else.',
  check: ({ root }) => treeIs(root, { ...without, ...Object.fromEntries(gone.map((path) => [path, null])) }),
  scripts: {
    polyfs: {
      steps: [
        { why: 'What is there?', call: ['grep', { pattern: 'fax', ignore_case: true, glob: '*.{js,md}' }] },
        {
          why: 'All changes at once',
          call: [
            'apply_patch',
            {
              patch: `*** Begin Patch
${gone.map((path) => `*** Delete File: ${path}`).join('\n')}
*** Update File: ${context}
@@
-${importLine.trimEnd()}
@@
-${propertyLine.trimEnd()}
*** Update File: ${page}
@@
-Statements are sent by mail, or by fax (\`src/fax/send.js\`).
+Statements are sent by mail.
*** End Patch
`,
            },
          ],
        },
      ],
    },
    official: {
      steps: [
        { why: 'Which files, by their names?', call: ['search_files', { path: '.', pattern: '**/*fax*/**' }] },
        ...readFolder('src', '.js'),
        ...readFolder('docs', '.md'),
        {
          why: 'Remove what refers to it',
          call: [
            'edit_file',
            {
              path: context,
              edits: [
                { oldText: importLine, newText: '' },
                { oldText: propertyLine, newText: '' },
              ],
            },
          ],
        },
        ...officialEdits('Remove what refers to it', { [page]: without[page] }),
        // There is no tool that deletes. Emptying files or moving them elsewhere is not what was asked; a good agent says so.
      ],
      answer:
        'Nothing refers to the code for fax any more. I have no tool that deletes files; please delete src/fax and test/fax.',
    },
  },
}
