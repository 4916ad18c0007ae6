// The rail beside the text: its tabs, and what joins the comments to the words they are about.
import { joinComments } from "./side-panel/comments";
import { besideTabs } from "./side-panel/tabs";

const tabs = besideTabs();
if (tabs) joinComments(tabs);
