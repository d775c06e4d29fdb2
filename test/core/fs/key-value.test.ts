import { createStorage } from 'unstorage'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { describeWrapperContract } from '../../describe-contract.js'
import { mapStore, nodeHashes } from './key-value-stores.js'

describeWrapperContract('keyValue on the memory driver', () => ({
  fs: keyValue(createStorage(), nodeHashes),
  base: '/base',
}))
describeWrapperContract('keyValue with conditional writes', () => ({ fs: keyValue(mapStore()), base: '/base' }))
