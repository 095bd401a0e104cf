// Crawlee for Node crawls the hosts of a file of seeds. Arguments: FILE, connections in all.

import { readFileSync } from 'node:fs';
import { CheerioCrawler, Configuration } from '@crawlee/cheerio';

const [seedsFile, connections] = process.argv.slice(2);
const seeds = readFileSync(seedsFile, 'utf8').split('\n').filter(Boolean);

const crawler = new CheerioCrawler({
    respectRobotsTxtFile: true,
    useSessionPool: false,
    retryOnBlocked: false,
    minConcurrency: Number(connections),
    maxConcurrency: Number(connections),
    statisticsOptions: { logIntervalSecs: 3600 },
    async requestHandler({ enqueueLinks }) {
        await enqueueLinks({ strategy: 'same-hostname' });
    },
}, new Configuration({ persistStorage: false }));

await crawler.run(seeds);
