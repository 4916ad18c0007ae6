// The side panels: their tabs, and the connection between comments and the text.
import { connectComments } from "./side-panel/comments";
import { setUpTabs } from "./side-panel/tabs";

const tabs = setUpTabs();
if (tabs) connectComments(tabs);
