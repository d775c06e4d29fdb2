/** The two servers that are compared: how to build or install them, and how to start them. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { peers, peersDirectory } from '../bench/corpus.mjs'

const project = fileURLToPath(new URL('../..', import.meta.url))
const official = '@modelcontextprotocol/server-filesystem'
const version = '2026.8.31'
const spec = `${official}@${version}`

export const officialName = `${official} ${version}`

/** Builds polyfs, and returns its command line for a root. */
export function buildOurs() {
  execFileSync(process.execPath, [path.join(project, 'build/build.mjs'), 'cli'], { stdio: 'ignore' })
  return startOurs
}

/** The command line of polyfs as it was last built. */
export function startOurs(root, ...options) {
  return [path.join(project, 'dist/node/cli.js'), ...options, root]
}

/** Installs the official server, unless it is, and returns its command line for a root. */
export function installOfficial() {
  return startIn(peers(spec))
}

/** The same if the server is installed, else undefined. */
export function installedOfficial() {
  const directory = peersDirectory(spec)
  return fs.existsSync(directory) ? startIn(directory) : undefined
}

function startIn(directory) {
  const script = path.join(directory, 'node_modules', official, 'dist/index.js')
  return (root) => [script, root]
}
