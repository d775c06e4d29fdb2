import { opfs } from '../../../web/opfs/opfs.js'
import { describeContract } from '../../describe-contract.js'
import { opfsDeviations as deviations } from './opfs-deviations.js'

describeContract('OPFS in a page', async () => ({ fs: await opfs(), base: `/${crypto.randomUUID()}` }), {
  deviations,
  isSampled: true,
})
