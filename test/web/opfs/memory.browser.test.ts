import { memory } from '../../../src/fs/backends/memory.js'
import { describeContract } from '../../describe-contract.js'

describeContract('memory in a page', () => ({ fs: memory(), base: '/base' }))
