// What tests in Chromium share: how it is started on a machine without a graphics card.
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--no-first-run"];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
