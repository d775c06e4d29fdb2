/**
 * What registries and clients read about the package, made from package.json: `server.json` for the MCP registry, the manifest of the
 * `.mcpb` bundle, and the links that add the server to VS Code and Cursor.
 *
 * `node build/distribution.mjs` writes server.json and the links in docs/install.md; a test compares them. With `--mcpb` it packs
 * `dist/polyfs-VERSION.mcpb` from a build.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** For the registry, which takes 100 characters at most. */
const summary = 'File tools for AI agents: read, edit, search, git, shell and undo, confined to directories'

const title = 'polyfs files'

/** The entry of the MCP registry. */
export function serverJson({ name, version, mcpName }) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title,
    description: summary,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          {
            type: 'positional',
            valueHint: 'directory',
            description: 'A directory that the tools may read and write',
            format: 'filepath',
            isRequired: true,
            isRepeated: true,
          },
        ],
      },
    ],
  }
}

/** The manifest of a bundle that Claude Desktop and others install with a double click. `tools` are name and description of each. */
export function mcpbManifest({ name, version, description, license, keywords, engines }, tools) {
  return {
    manifest_version: '0.3',
    name,
    display_name: title,
    version,
    description: summary,
    long_description: description,
    author: { name },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'node/cli.js',
      // An option with several values becomes one argument for each.
      mcp_config: { command: 'node', args: [`\${__dirname}/node/cli.js`, `\${user_config.directories}`], env: {} },
    },
    user_config: {
      directories: {
        type: 'directory',
        title: 'Directories',
        description: 'The directories that the tools may read and write',
        multiple: true,
        required: true,
        default: [`\${HOME}/Documents`],
      },
    },
    tools: tools.map(({ name, description }) => ({ name, description: description.split('\n')[0] })),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
  }
}

/** Links that add the server to a client on a click, by the name of the client. Both clients fill in the folder that is open. */
export function installLinks({ name }) {
  const entry = { command: 'npx', args: ['-y', name, `\${workspaceFolder}`] }
  const vscode = new URLSearchParams({ name: 'files', config: JSON.stringify({ type: 'stdio', ...entry }) })
  const cursor = new URLSearchParams({ name: 'files', config: Buffer.from(JSON.stringify(entry)).toString('base64') })
  return {
    'VS Code': `https://vscode.dev/redirect/mcp/install?${vscode}`,
    Cursor: `https://cursor.com/en/install-mcp?${cursor}`,
  }
}

/** The links as buttons, for a page in Markdown. */
export function installButtons(manifest) {
  const badge = (client) => `https://img.shields.io/badge/Add_to-${client.replace(' ', '_')}-0b5fff`
  return Object.entries(installLinks(manifest))
    .map(([client, link]) => `[![Add to ${client}](${badge(client)})](${link})`)
    .join('\n')
}

/** A page with its buttons, which stand between two comments. */
export function withButtons(page, manifest) {
  return page.replace(
    /(<!-- buttons: written by build\/distribution\.mjs -->\n).*?(<!-- end of buttons -->)/s,
    (_, before, after) => `${before}${installButtons(manifest)}\n${after}`,
  )
}

/** The files of a bundle, in a directory: the command with its chunks, which is all that a client starts. */
export async function layOutBundle(directory) {
  const { tools } = await import('../dist/index.js')
  const { createWorkspace, memory } = await import('../dist/index.js')
  const { emulatedShell } = await import('../dist/node/bash.js')
  const manifest = await readManifest()
  const { definitions } = tools(createWorkspace({ fs: memory(), shell: emulatedShell() }))
  await mkdir(directory, { recursive: true })
  for (const part of ['node', 'chunks']) await cp(join(root, 'dist', part), join(directory, part), { recursive: true })
  await cp(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), join(directory, 'THIRD-PARTY-LICENSES.txt'))
  await cp(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  await writeFile(
    join(directory, 'package.json'),
    `${JSON.stringify({ name: manifest.name, type: 'module', private: true })}\n`,
  )
  await writeFile(join(directory, 'manifest.json'), json(mcpbManifest(manifest, definitions)))
}

async function packBundle() {
  const { packExtension } = await import('@anthropic-ai/mcpb')
  const { name, version } = await readManifest()
  const place = await mkdtemp(join(tmpdir(), 'polyfs-mcpb-'))
  try {
    await layOutBundle(place)
    const outputPath = join(root, `dist/${name}-${version}.mcpb`)
    if (!(await packExtension({ extensionPath: place, outputPath }))) throw new Error('the bundle was refused')
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

async function readManifest() {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--mcpb')) await packBundle()
  else {
    const manifest = await readManifest()
    const page = join(root, 'docs/install.md')
    await writeFile(join(root, 'server.json'), json(serverJson(manifest)))
    await writeFile(page, withButtons(await readFile(page, 'utf8'), manifest))
  }
}
