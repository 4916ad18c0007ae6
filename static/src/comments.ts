// The rail beside the text: its tabs, and what joins the comments to the words they are about.
import { connectComments } from "./side-panel/comments";
import { setUpTabs } from "./side-panel/tabs";

const tabs = setUpTabs();
if (tabs) connectComments(tabs);
