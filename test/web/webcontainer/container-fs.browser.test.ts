import type { Deviations } from '../../../contract/fs/index.js'
import { describeContract } from '../../describe-contract.js'
import { bootFromStandIn } from './boot.js'

const deviations: Deviations = {
  'a directory with 5000 entries lists every one':
    'to look at one entry its whole directory is listed, so planting them takes minutes',
}

describeContract(
  'a container, from a stand-in of its host,',
  async () => {
    const { fs } = await bootFromStandIn()
    return { fs, base: `/${crypto.randomUUID()}` }
  },
  { deviations, isSampled: true },
)
