import { describe, expect, test } from 'vitest'
import { sqlite, sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { describeContract, describeWrapperContract } from '../../describe-contract.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()

describeContract('sqlite', () => ({ fs: sqlite(openDatabase()), base: '/base' }))

describeWrapperContract('a fork in a database', () => {
  const original = sqlite(openDatabase())
  return { fs: original.fork('fork'), base: '/base' }
})
