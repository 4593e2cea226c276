// picture.mjs URL FILE.png: the page as a person sees it, for the docs (tools/pictures.sh).
import { launch } from "./chromium.mjs";

const [url, file] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(180000);
await page.goto(url);
await page.evaluate(() => window.limber.ready);
await page.waitForFunction(() => window.limber.status().time > 1.2);
await page.screenshot({ path: file, timeout: 180000 });
await browser.close();
