"""Forty questions with the notes that answer them, in eight fields, each five; every note and every figure is invented.

They were written before the tables of words were replaced, by someone who had not read the engine, and are never used
to tune anything. They decide between measures.
"""

from tests.llm.pairs import Pair

PAIRS = (
    # Clinical medicine
    Pair(
        "nose-sedation",
        "Does intranasal dexmedetomidine reduce crying in children during cannulation?",
        """## Cannulation on the day ward

- intranasal dexmedetomidine: crying in 18 of 61 children
- saline drops: crying in 39 of 60 children
- median duration of crying during cannulation 14 s with dexmedetomidine, 52 s without

No child needed oxygen. Nurses were blinded, parents were not.""",
    ),
    Pair(
        "fasting-stones",
        "Does fasting during Ramadan trigger kidney stones?",
        """Emergency desk, Amman. Renal colic with a calculus seen on the scan: 4.1 cases a day in the fasting month,
2.9 a day in the month before (p = 0.02). Difference gone in the years when the month fell in winter. Those who
abstained from water until sunset needed an ureteroscopy in 14 % of colics, those exempt in 13 %. Men mostly, outdoor
workers overrepresented.""",
    ),
    Pair(
        "statin-tendon",
        "Are statins a cause of tendon rupture?",
        """# Lipid lowering and the heel

Claims data of a sickness fund, matched by age and sport.

| | Achilles tears per ten thousand |
|---|---|
| atorvastatin | 6.8 |
| rosuvastatin | 6.1 |
| ezetimibe only | 5.9 |

Hazard ratio for any torn sinew 1.09 (0.91 to 1.31). Authors see no harm. Quinolone users left out.""",
    ),
    Pair(
        "stool-liver",
        "Can faecal transplantation prevent hepatic encephalopathy?",
        """Donor stool by enema in cirrhosis, after lactulose and rifaximin had failed.

- readmitted with confusion or flapping tremor: 3 of 22, placebo 11 of 23
- ammonia fell by 29 µmol/l
- number connection test done 17 s faster

One sepsis, judged unrelated. Donor chosen for many Lachnospiraceae. Follow-up half a year, open label afterwards.""",
    ),
    Pair(
        "andes-clots",
        "Does living at high altitude raise the risk of blood clots?",
        """El Alto against Santa Cruz, same insurer, same scanners. DVT on ultrasound in 2.7 per thousand miners up
there and 1.2 per thousand down in the plain. Pulmonary embolism at autopsy: 8 % versus 3 %. Soldiers posted to
mountain garrisons for a year or more had an odds ratio of 3.4 for any venous event. Thick blood (haematocrit)
suspected, smoking similar.""",
    ),
    # Dentistry, nursing, public health
    Pair(
        "silver-roots",
        "Does silver diamine fluoride arrest root caries in nursing home residents?",
        """### Root caries, nursing homes in Leeds

Silver diamine fluoride once a year: 71 % of root caries arrested. Fluoride varnish every quarter: 48 % arrested.
Placebo: 22 %. New root caries per resident 0.4 with silver diamine fluoride, 1.3 with placebo. Black staining accepted
by nearly all residents, less so by daughters.""",
    ),
    Pair(
        "rounding",
        "Do hourly nursing rounds prevent falls in hospital?",
        """Intentional rounding (pain, position, potty, possessions), geriatric wards.

| ward | patients found on the floor per thousand bed days |
|---|---|
| rounding | 3.6 |
| usual care | 5.2 |

Rate ratio 0.69, interval 0.50 to 0.96. Hip fractures after a tumble: 1 and 4. Call bells rang less. Staff complained
of the paperwork, compliance poor at night.""",
    ),
    Pair(
        "khat-gums",
        "Does chewing khat damage the gums?",
        """Sana'a, dental school. Clinical attachment loss on the side where the leaves are kept 3.9 mm, on the other
side 2.7 mm. Pockets deeper on the qat side as well, 4.4 against 3.5 mm. Daily chewers bled on probing at 58 % of
sites, non-users at 41 %. Recession worst at lower molars. Hardly any of them smoke a waterpipe, so that is not it.""",
    ),
    Pair(
        "towerblock-wheeze",
        "Does smoke-free housing reduce asthma attacks in children?",
        """## After the ban in the tower blocks

Tenants may not light up indoors any more. Under-tens from these estates:

- emergency visits for wheeze down from 47 to 31 a month
- salbutamol refills minus 19 %
- nights woken by cough, diary: 2.2 to 1.4 a week

Estates without the ban: visits 44 and 43. Cotinine not measured, sadly.""",
    ),
    Pair(
        "tired-drugchart",
        "Does night shift work of nurses lead to medication errors?",
        """Drug charts audited by pharmacy, three surgical floors. Wrong dose or wrong patient in 2.1 % of rounds
before midnight, 3.8 % between the small hours and handover. On the last of a run of nights it was 5.5 %. Omitted
antibiotics 12 after dark, 5 by day. Staffing the same on paper. Sisters who had napped made fewer slips, not
tested.""",
    ),
    # Psychology and education
    Pair(
        "choir-lonely",
        "Does choral singing reduce loneliness in older adults?",
        """Choral singing once a week in community centres, older adults, cluster trial. Loneliness score fell by 1.8
points with choral singing and by 0.5 points on the waiting list (d = 0.34). Older adults who lived alone: loneliness
minus 2.6 points. Half of the choirs went on singing by themselves. Depression was no outcome here.""",
    ),
    Pair(
        "sorbian-sums",
        "Does bilingual schooling impair children's arithmetic?",
        """### Lusatia, pupils taught in Sorbian and German

| | immersion | German only |
|---|---|---|
| sums correct, of forty | 28.3 | 28.9 |
| word problems | 61 % | 63 % |

Mental calculation 0.4 s slower per item in the weaker language. No gap left by the end of primary school.
Parents' education controlled. Teachers expected worse.""",
    ),
    Pair(
        "phd-delay",
        "Is perfectionism linked to procrastination in doctoral students?",
        """PhD candidates, online survey, Frost scale. Concern over mistakes correlated with putting off the thesis,
r = 0.43; high personal standards did not, r = -0.06. Top quarter on self-criticism handed in chapters 31 days late,
bottom quarter 12 days. Supervisors' rating of dithering: r = 0.28. Cross-sectional, so cannot say what comes
first.""",
    ),
    Pair(
        "worn-teachers",
        "Does teacher burnout worsen the behaviour of pupils?",
        """**Class observations, Flemish vocational schools**

- Maslach exhaustion high: 9.7 disruptions per lesson
- exhaustion low: 6.2
- pupils sent out of the room 1.4 versus 0.5 a week
- lagged path from cynicism in autumn to unruly classes in spring: beta 0.17

Reverse path just as plausible, see limitations. Class size made no odds.""",
    ),
    Pair(
        "picked-on",
        "Does being bullied at school lead to social anxiety in adulthood?",
        """Cohort from Tampere. Those whom classmates picked on or shut out scored 52 on the Liebowitz as grown-ups,
those left in peace 37. Fear of speaking up in meetings: 34 % against 19 %. Avoids parties, 2.3 times as often. Cyber
taunts did the same as the playground kind. Shy temperament as a toddler was adjusted for, the effect shrank but
held.""",
    ),
    # Agriculture and veterinary
    Pair(
        "cassava-char",
        "Does biochar increase the yield of cassava?",
        """## Cassava, sandy soil, Benin

| treatment | yield of cassava, t/ha |
|---|---|
| no biochar | 11.2 |
| biochar | 14.9 |
| biochar and manure | 18.3 |

Biochar from palm shells. Yield gain of 33 % with biochar alone in the wet year; in the dry year biochar gave 12 %.
Starch not analysed.""",
    ),
    Pair(
        "goat-slats",
        "Does slatted flooring reduce foot rot in goats?",
        """Dairy goats, rainy season, Kerala hills. Foot rot in 9 of 84 goats on slatted flooring, in 27 of 80 goats on
earth floor. Lameness score with foot rot 1.1 on slatted flooring, 2.0 on earth. Wooden slats wore out quickly. Farmers
liked that the dung falls through.""",
    ),
    Pair(
        "calf-cautery",
        "Does hot-iron disbudding cause lasting pain in calves?",
        """Cautery of the horn buds under local block and meloxicam, wounds followed until healed.

- pressure tolerated at the wound: 0.8 N, sham 2.1 N
- still tender in week 9
- ear flicks 23 an hour versus 8
- chose the pen where they got lidocaine in 74 % of trials

Healing slower than the textbooks say. Females only.""",
    ),
    Pair(
        "lettuce-margins",
        "Do flower strips reduce aphids on lettuce?",
        """Sweet alyssum and phacelia sown along the beds, Murcia. Nasonovia per head: 3 next to the blooms, 19 in the
bare plots. Effect fades with distance, 11 per head at the far end of the bed. Hoverfly larvae 0.9 per plant against
0.2. Heads rejected by the packer for lice: 4 % and 17 %. Needs a bed of land, grower grumbles.""",
    ),
    Pair(
        "thymol-hives",
        "Can essential oils protect honey bees against Varroa?",
        """### Thymol plates on the top bars, late summer

Sugar shake, mites per hundred workers: 5.8 before, 0.9 after. Untouched hives 6.1 and 8.4. Oregano strips did little,
5.5 to 4.7. Colonies alive in spring 21 of 24 where thymol was laid in. Some queens stopped laying in the heat. Honey
taste not affected if removed in time.""",
    ),
    # Ecology and climate
    Pair(
        "hedge-moths",
        "Does artificial light at night reduce moth abundance in hedgerows?",
        """Moth abundance in lit hedgerows 47 % lower than in unlit hedgerows. White LED light: minus 52 %; sodium
light: minus 41 %. Moth caterpillars per metre of hedgerow 1.3 under artificial light, 2.4 in the dark at night. Grass
verges show the same direction. Paired sites in Oxfordshire, lamps older than five winters.""",
    ),
    Pair(
        "beaver-nitrate",
        "Do beaver dams retain nitrogen in streams?",
        """**Castor ponds, Bavaria, grab samples**

| | nitrate mg/l |
|---|---|
| inflow | 18.4 |
| pond outlet | 13.1 |
| reference reach, no lodge | 18.2 |

Denitrification in the mud 7.6 mg per square metre and hour, in gravel 1.9. Ammonium leaves the pond a bit higher, 0.21
instead of 0.12. Floods flush it all.""",
    ),
    Pair(
        "wet-peat",
        "Does rewetting of peatlands increase methane emissions?",
        """Ditches blocked on a former milled bog, Estonia. Chambers: 38 mg methane per square metre and day where the
water table is near the surface, 4 on the drained strip. With cotton grass 61, moss carpet only 15. Rising for the
first years, then level at about 30. Carbon dioxide went the other way, see the next sheet.""",
    ),
    Pair(
        "auks-turbines",
        "Do offshore wind farms displace seabirds?",
        """Aerial counts, German Bight.

- razorbills inside the array: 0.7 per square km, before the turbines 2.5
- guillemots minus 63 %
- gannets turned away, 89 % fewer
- cormorants came to roost: up 240 %

Divers avoid the area out to 10 km. Gulls mixed, follow the service boats. Weather a nuisance, few flights in
winter.""",
    ),
    Pair(
        "dry-ips",
        "Does drought make forests more vulnerable to bark beetles?",
        """# Spruce in the Harz

Rainless summers and what came after. Ips typographus per pheromone trap: 2,900 after a wet July, 11,400 after a
parched one. Trees killed per hectare 6 and 35. Resin flow from the drill hole fell to 0.3 g a day when soil water was
gone, otherwise 1.2 g. Mixed stands fared better. Storm wood cleared beforehand.""",
    ),
    # Engineering and materials
    Pair(
        "husk-chloride",
        "Does rice husk ash reduce chloride penetration into mortar?",
        """Mortar with rice husk ash, ponding in brine. Chloride penetration depth 17.5 mm in plain mortar, 11.8 mm
with a little rice husk ash, 8.9 mm with the high dose. Chloride diffusion coefficient of the rice husk ash mortar 4.2
against 9.6 in the plain. Workability suffers, superplasticiser needed. Grinding time seems to matter.""",
    ),
    Pair(
        "peened-print",
        "Does shot peening extend the fatigue life of additively manufactured titanium?",
        """### Laser powder bed, rotating bending

| surface | cycles to failure |
|---|---|
| as printed | 84,000 |
| bombarded with ceramic beads | 310,000 |
| machined | 405,000 |

Endurance limit 290 MPa as printed, 415 MPa peened. Cracks then start at lack-of-fusion pores below the skin.
At very high load life only grows by a factor of 1.6, since the surface yields.""",
    ),
    Pair(
        "damp-flax",
        "How does moisture affect the strength of flax fibre composites?",
        """Flax in bio-epoxy, coupons conditioned in chambers. Tensile: 268 MPa dry, 241 MPa in a humid room, 197 MPa
after soaking until saturated. Modulus drops more, 29 to 18 GPa. Water uptake 11.3 % at saturation. Flexural not done.
Drying again brings back most but not all. Alkali treated yarn swells less.""",
    ),
    Pair(
        "dimpled-heads",
        "Does surface texturing lower the friction of artificial hip joints?",
        """Laser dimples on cobalt chrome femoral heads, polyethylene cups, bovine serum, simulator.

- µ smooth 0.081
- µ shallow pits 0.054
- µ deep pits 0.092
- torque at the cup 1.9 Nm, polished head 2.8 Nm

Pits too deep scrape the liner. Wear debris weighed, results still to come.""",
    ),
    Pair(
        "spores-fissures",
        "Can self-healing concrete close its own cracks?",
        """Bacillus spores and calcium lactate in clay pellets, beams broken in bending and kept under water. Fissures
up to 0.46 mm filled with calcite, control only to 0.18 mm. Leakage through the slit down by 87 %, without microbes by
35 %. Regained flexural load 24 %. In air nothing happens. Pellets weaken the mix somewhat; mortar shell helps.""",
    ),
    # Computing and energy
    Pair(
        "review-holes",
        "Does code review reduce security vulnerabilities in open-source projects?",
        """## Code review and vulnerabilities

Open-source projects with mandatory code review: 0.6 security vulnerabilities per thousand changes. Projects without
code review: 1.1. Changes with two reviewers 0.4. Unreviewed commits made up 13 % of the code but 29 % of the security
vulnerabilities. Language no confounder. Bots excluded.""",
    ),
    Pair(
        "bus-fastcharge",
        "Does fast charging accelerate the ageing of electric bus batteries?",
        """Electric bus fleet in Gdynia. Batteries with fast charging at the terminus lost 4.7 % capacity a year,
batteries with depot charging 2.9 %. Ageing by internal resistance: up 38 % with fast charging, 21 % in the depot
group. Hot days doubled the ageing from fast charging. Same cell type; routes differ in hills.""",
    ),
    Pair(
        "soiled-modules",
        "Does dust lower the output of solar panels in deserts?",
        """Soiling, PV test field near Aswan.

| rinsed | kWh per kWp and day |
|---|---|
| daily | 5.9 |
| monthly | 5.1 |
| never | 3.7 |

Loss 0.5 % a day until the next wash. One sandstorm took 14 % overnight. Tilted modules keep cleaner. Dew glues the
grains on, robots scratch the glass.""",
    ),
    Pair(
        "private-speech",
        "Does differential privacy reduce the accuracy of speech recognition?",
        """DP-SGD on call-centre audio, conformer. Word error rate 9.2 % without noise; 11.0 % with a loose epsilon;
16.8 % with a tight one. Dialect speakers hit hardest, up to 24.5 %. Larger batches and a pretrained encoder win back
2.7 points. Training on spectrogram crops made no difference. Membership attacks: see the other sheet.""",
    ),
    Pair(
        "arctic-servers",
        "Do data centres in cold regions need less energy for cooling?",
        """Operator's own logs, server halls of the same design. PUE in Luleå 1.08, in Frankfurt 1.31, in Madrid 1.42.
Chillers ran 90 hours a year in Luleå, otherwise outside air and fans only; Madrid 5,200 hours. Fans took 3 % of the
bill in the north. Heat given to greenhouses not counted. Latency is the price.""",
    ),
    # Economics, history, society
    Pair(
        "galicia-rail",
        "Did railway access raise land prices in nineteenth-century Galicia?",
        """### Land prices, Galicia, cadastre

- land prices in villages with railway access: up 46 %
- land prices without railway access: up 19 %
- land prices fell by 3 % for each further hour on foot to the railway

Instrument: straight line between garrisons, estimate 0.22. Nineteenth-century registers patchy in the east.""",
    ),
    Pair(
        "gulf-daughters",
        "Do remittances from abroad keep girls in school?",
        """Household survey, Kerala and Sylhet. Fathers or brothers in the Gulf who send money home: daughters enrolled
at fifteen 83 %, other families 69 %. Dropping out before the certificate 9 % against 21 %. When the transfers stop
after a return, enrolment goes down by 7 points. Sons no difference. Mothers decide on the spending.""",
    ),
    Pair(
        "dead-weeklies",
        "Does the closure of local newspapers lower voter turnout?",
        """**Swiss communes, municipal ballots**

| | ballots cast, % of the roll |
|---|---|
| weekly still printed | 48.6 |
| weekly shut down | 44.9 |

Difference in differences minus 2.8 points (standard error 0.9). Federal votes barely move, minus 0.4. Fewer candidates
stand too, not shown. Online portals do not replace it.""",
    ),
    Pair(
        "rent-cap",
        "Do rent controls reduce the construction of new flats?",
        """Ceiling on rents in the city, none across the border of the Land. Building permits down 11 % within the cap,
up 5 % in the commuter belt. Dwellings completed per thousand inhabitants 3.1 and 4.8. Newly built units were exempt by
law, yet developers interviewed feared the next tightening: 62 % put off a project. Interest rates rose at the same
time.""",
    ),
    Pair(
        "rye-sorcery",
        "Did bad harvests lead to witch trials?",
        """## Franconian towns, council minutes

Rye dear: 5.3 accused of sorcery a year, 2.4 burnt. Rye cheap: 1.6 and 0.3. Hail or late frost named by the accuser in
44 % of the complaints. Price of rye and arrests the next spring, r = 0.51. Protestant places no milder. Torture
records lost in the fire.""",
    ),
)

NEAR_MISSES: tuple[tuple[str, str], ...] = (
    ("Does clonidine ease opioid withdrawal in newborns?", "nose-sedation"),
    ("Does fenofibrate slow diabetic retinopathy?", "statin-tendon"),
    ("Does betel nut chewing cause oral cancer?", "khat-gums"),
    ("Do silver dressings heal pressure ulcers faster?", "silver-roots"),
    ("Does dance therapy improve balance in Parkinson's disease?", "choir-lonely"),
    ("Does mindfulness training lower test anxiety in medical students?", "phd-delay"),
    ("Does intercropping with beans suppress weeds in maize?", "cassava-char"),
    ("Does castration without anaesthesia slow the growth of piglets?", "calf-cautery"),
    ("Does road noise change the song of great tits?", "hedge-moths"),
    ("Does ocean warming shift the spawning of cod?", "auks-turbines"),
    ("Does fly ash raise the compressive strength of bricks?", "husk-chloride"),
    ("Does anodising improve the corrosion resistance of magnesium?", "peened-print"),
    ("Does pair programming help beginners to learn recursion?", "review-holes"),
    ("Do heat pumps lower the heating costs of old buildings?", "soiled-modules"),
    ("Do minimum wages increase youth unemployment?", "rent-cap"),
    ("Did the potato blight cause emigration from Ireland?", "rye-sorcery"),
)
