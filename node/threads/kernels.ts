/** The kernels of the core, for reading files into. */
export { createKernels, type Kernels } from '../../src/search/bytes/kernels/kernels.js'
