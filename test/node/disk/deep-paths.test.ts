import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { describeDeepPaths } from '../../describe-deep-paths.js'

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'deep-')))
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

// The kernel goes through the whole path for every entry.
describeDeepPaths('a disk', () => nodeFs(fs.mkdtempSync(path.join(directory, 'root-'))), { mostRatio: 14 })
