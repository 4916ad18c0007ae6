"""Related words: words that notes on one subject use together, such as "hospital" and "ward".

They are not synonyms. One related word says little; several, for several words of a question, show that short notes
are about the question although they use other words. A line is a subject of a field, and a word may be in several
lines. The lists are not specific to any thesis. `stemming.py` stems the words.
"""

# A line with "=" begins a field, which includes the lines up to the next such line. A field may occur more than once.
KIN = """
= health
hospital, ward, inpatient, discharge, readmission, bed, clinic, outpatient, stay, admitted, admission
hip, femur, femoral, prosthesis, arthroplasty, fracture, orthopaedic, fall
fracture, osteoporosis, bone, surgery, fixation, broken
mobilisation, physiotherapy, walking, walked, ambulation, rehabilitation, standing
icu, ventilated, ventilator, intubation, sepsis, septic, shock, vasopressor
infection, mrsa, bacteraemia, sepsis, pathogen, bacteria, difficile, colonisation, virus, contamination, antibiotic
hygiene, handwashing, gel, rub, soap, disinfection, disinfectant, compliance, cleaning
antibiotic, resistance, resistant, penicillin, infection, prescription, prescribing, bacteria
wound, dressing, healing, ulcer, scar, suture, incision
ulcer, pressure, mattress, turning, sore, bedsore
pain, analgesia, analgesic, opioid, ache, paracetamol, vas, nrs
surgery, operation, surgeon, incision, postoperative, preoperative, anaesthesia, theatre, laparoscopic, resection
anaesthesia, anaesthetic, sedation, delirium, propofol, block
delirium, confusion, confused, agitation, cam
angina, ischaemia, chest, coronary, stent, pci, revascularisation, catheter, infarction, bypass
stent, pci, angioplasty, revascularisation, invasive, restenosis, procedural, coronary
heart, cardiac, cardiovascular, coronary, ventricular, valve, mitral, aortic, ejection, congestive, atrial
stroke, thrombolysis, thrombectomy, ischaemic, rankin, nihss, hemiparesis
blood pressure, hypertension, systolic, diastolic, mmhg, antihypertensive, salt
salt, sodium, blood pressure, potassium
diabetes, insulin, hba1c, glucose, glycaemic, metformin, sugar, type 2
glycaemic, glucose, insulin, sugar, blood sugar, starch, carbohydrate
obesity, bmi, overweight, weight, kg, waist, diet, calories
liver, cirrhosis, alt, hepatitis, fibrosis, hepatic
kidney, dialysis, creatinine, egfr, nephropathy, transplant
lung, copd, asthma, inhaler, fev1, spirometry, respiratory, breath, cough, pneumonia
asthma, inhaler, wheeze, exacerbation, fev1
cancer, tumour, oncology, chemotherapy, metastasis, precancerous, lesion, screening, malignancy, radiotherapy, biopsy
cervical, cin3, precancerous, smear, hpv, colposcopy
breast, mammography, mastectomy, tamoxifen
hpv, quadrivalent, cervical, wart, jab
vaccine, jab, dose, immunity, antibody, immunised, uptake, booster, influenza, measles
influenza, flu, fever, vaccine
covid, sars, pandemic, oxygen, ventilated, lockdown, mask
mask, respirator, face covering, ffp2
malaria, mosquito, net, parasitaemia, plasmodium, falciparum, bednet
tuberculosis, bcg, sputum, rifampicin, isoniazid
hiv, antiretroviral, viral load, cd4, prep
pregnancy, birth, maternal, antenatal, midwife, labour, trimester, gestational, preterm, mother, caesarean, obstetric
birth, midwife, caesarean, perineal, labour, newborn, preterm, delivery, childbirth, epidural
newborn, neonatal, infant, preterm, baby, babies, apgar, breastfeeding
breastfeeding, milk, lactation, formula, mother, infant
infant, baby, babies, toddler, newborn, nursery, mother
preschool, toddler, nursery, kindergarten, child
child, toddler, pupil, kid, boy, girl, infant, school, parent, young
elderly, older, aged, nursing home, resident, frail, dementia, care home
frail, frailty, gait, grip, sarcopenia, older, falls
fall, faller, balance, fracture, older
dementia, alzheimer, cognitive, mmse, memory, carer, caregiver
= mind
depression, phq, antidepressant, mood, hamilton, bdi, suicide, sertraline, cbt
anxiety, stai, gad, panic, worry, fear, anxiolytic
stress, pss, burnout, exhaustion, cortisol, strain
mindfulness, meditation, mbsr, breathing, yoga
= health
nurse, staff, ward, sick, shift, intensive, nursing
burnout, exhaustion, stress, mbi, overtime
= mind
sleep, insomnia, asleep, bedtime, night, nap, awake, actigraphy, hours, circadian
smartphone, phone, app, screen, tablet, device
screen, phone, television, tablet, smartphone
= health
smoking, smoker, smokes, cigarette, vape, vaping, nicotine, abstinence, patch, quit, tobacco, e-cigarette
quit, abstinence, abstinent, cessation, stop smoking
alcohol, drinking, drink, beer, wine, liver, drinker
coffee, caffeine, cup, decaf, espresso, tea
vitamin, supplement, deficiency, supplementation, capsule
iron, anaemia, haemoglobin, ferritin
probiotic, lactobacillus, gut, diarrhoea, microbiome, strain
gut, intestinal, bowel, microbiome, stool, digestive
appendicitis, appendectomy, appendix
hernia, mesh, inguinal, repair
knee, arthroplasty, osteoarthritis, meniscus, cruciate, joint, replacement, womac
back, spine, lumbar, disc
osteoarthritis, knee, hip, joint, cartilage, womac
arthritis, joint, methotrexate, rheumatoid
migraine, headache, triptan, aura
epilepsy, seizure, anticonvulsant
parkinson, tremor, levodopa, updrs
autism, asd, spectrum, social
adhd, methylphenidate, hyperactivity, attention
telemedicine, remote, video, teleconsultation, virtual, camera, consultation, online, face-to-face
consultation, visit, appointment, clinic, outpatient, gp, doctor
dental, caries, molar, incisor, enamel, plaque, gum, gingivitis, periodontal, dentist, oral, filling
fluoride, naf, varnish, caries, toothpaste, enamel
caries, cavity, cavities, decay, filling, fluoride, dmft
plaque, gingivitis, toothbrush, brushing, gum
toothbrush, brushing, plaque, bristle
implant, peri-implant, osseointegration, abutment
orthodontic, retainer, bracket, irregularity, aligner, bonded, incisor, crowding
retainer, orthodontic, relapse, irregularity
eye, vision, myopia, retina, dioptre, ophthalmic, cataract, atropine, visual
myopia, short-sightedness, dioptre, axial, spectacles
hearing, ear, tinnitus, audiometry, decibel, noise
skin, eczema, dermatitis, emollient, rash, psoriasis
= animals
dog, canine, puppy, breed, owner, spaniel, client-owned, vet
cat, feline, kitten
horse, equine, mare, laminitis, gelding, pony
cow, cattle, dairy, milk, calf, herd, udder, holstein, mastitis, bovine, heifer
lameness, limp, limped, lame, hoof, claw, gait, locomotion
dairy, milk, cow, holstein, herd, cheese
collar, neck-mounted, tracker, sensor, accelerometer, gps
gps, tracker, tracking, satellite, collar
mastitis, udder, somatic, teat, milk
pig, piglet, sow, swine, litter, weaning, tail
chicken, hen, poultry, broiler, egg, layer, laying, flock
sheep, lamb, ewe, flock, wool, parasite
veterinary, vet, dog, cat, horse, cattle
mitral, valve, regurgitation, congestive, stage b2, murmur
methane, enteric, rumen, cattle, seaweed, ch4
= land
maize, grain, cob, harvest, t/ha, cereal
wheat, grain, cereal, t/ha, cultivar, sowing, winter wheat
rice, paddy, grain, seedling, flooded
crop, harvest, t/ha, field, sown, sowing, grain, yield, cultivar, ha
intercropping, intercrop, legume, mixture, companion
irrigation, drip, watering, water, drought, furrow, mm
drought, dry, irrigation, water, rain
fertiliser, nitrogen, kg/ha, manure, compost
soil, ph, loam, clay, sandy, topsoil, nitrogen, organic matter, sand
sandy, sand, loamy, loam
biochar, charcoal, pyrolysis
compost, manure, organic
weed, herbicide, hoeing, glyphosate, mulch
pest, aphid, insecticide, larvae, trap, infestation
pesticide, insecticide, spraying, residue, neonicotinoid
cover crop, clover, rye, vetch, mustard
orchard, apple, apples, fruit, pruning, tree
vineyard, grape, wine, vine, must
greenhouse, tomato, cucumber, glasshouse
potato, tuber, blight
fish, fishery, catch, trawl, stock, salmon, trout, tilapia, aquaculture, spawning, river, fishing
= land
tilapia, cage, aquaculture, feed conversion, fish, stocking, pond
stocking, density, per m3, harvest weight, cage
salmon, smolt, river, sea lice, trout, fish
= nature
dam, reservoir, river, weir, fish, turbine
river, stream, catchment, flow, discharge, bank, flood
flood, flooding, inundation, discharge, peak flow, river
wetland, marsh, peat, reed, swamp
peat, bog, rewetting, water table, mire
bee, bumblebee, nest, hive, colony, pollinator, queen, apiary, solitary bee, blossom, varroa
pollinator, bee, bumblebee, hoverfly, flower, blossom
hedgerow, hedge, woody, margin, field margin, shrub
wild, species, habitat, nest, nests
butterfly, moth, caterpillar, transect
bird, nest, breeding, species, territory, song, chick, fledgling, flock
light, lamp, lighting, lux, led, night
insect, moth, beetle, species, invertebrate, trap
wolf, pack, den, prey, scat
deer, roe, browsing, venison, red deer, ungulate
forest, tree, stand, sapling, logging, canopy, timber, wood, fir, spruce
tree, canopy, trunk, sapling, planting, crown, leaf
logging, timber, harvest, felling, skid
wildfire, fire, burned, burnt, blaze
mangrove, seedling, coast, mud
ocean acidification, co2, ph, aragonite, calcification, skeleton
coral, reef, bleaching, polyp
seagrass, eelgrass, meadow, shoot
mussel, bivalve, shellfish, oyster, filter
plastic, microplastic, particle, fibre, polymer, polyethylene, litter, bag
sea, marine, ocean, coast, fjord, salt water
glacier, ice, melt, retreat, snout
biodiversity, species, richness, diversity, abundance
invasive species, alien, introduced, eradication
air pollution, pm2.5, pm10, no2, particulate, nitrogen dioxide, smog, exhaust
pollution, pollutant, pm2.5, emission, contamination
climate, warming, temperature, co2, emission
co2, carbon, emission, footprint, greenhouse gas, co2e, climate
= matter
concrete, cement, binder, mpa, clinker, compressive, aggregate, mix, portland
fly ash, binder, slag, clinker, pozzolan
steel, weld, alloy, corrosion, mpa, fatigue
weld, welding, fatigue, joint, steel
corrosion, rust, coating, pitting, chloride
polymer, plastic, composite, resin, fibre
composite, fibre, laminate, resin, epoxy
timber, wood, beam, glulam, spruce
bridge, span, girder, deck
asphalt, pavement, rutting, bitumen, road
3d printing, printed, additive, layer, nozzle, infill
= energy
battery, cell, lithium, charging, cathode, anode, electrolyte, discharge, ah, cycle, capacity
electric vehicle, ev, battery, charging, charger, solar, pv, photovoltaic, panel, module, perovskite, kwh
perovskite, device, film, lead iodide, caesium, solar, encapsulated
humid, humidity, moisture, damp
wind turbine, rotor, blade, wind farm, offshore, hub
heat pump, cop, air-source, refrigerant, boiler, flow temperature, radiator, scop
insulation, u-value, wall, loft, draught, insulated
house, dwelling, household, home, room, building, flat, tenant
heating, boiler, radiator, gas, thermostat, temperature
roof, attic, thatch, straw, reed, ridge, tile
green roof, sedum, vegetation, substrate
cool, cooler, heat, temperature, surface temperature, k lower
city, urban, street, municipality, town, district
hydrogen, electrolyser, electrolysis, fuel cell
nuclear, reactor, uranium
biogas, digester, methane, manure, slurry
electricity, kwh, tariff, grid, power, meter
smart meter, kwh, tariff, display
= transport
bus, ridership, passenger, punctuality, timetable, corridor, tram, fare, route
public transport, ridership, passenger, tram, metro, fare, bus, rail, train, punctuality
train, rail, railway, passenger, delay, punctuality
bicycle, cycling, cyclist, bike, rider, cycle path, helmet
cyclist, rider, bike, cycling, helmet, power output, time trial
car, driver, vehicle, traffic, motorist, parking
speed, km/h, mph, limit, camera, driver
road, traffic, crash, collision, driver, junction, roundabout, accident
congestion, charge, traffic, toll, delay
accident, crash, collision, injury, casualty
parking, car, space, street
plane, flight, airport, airline, aviation
ship, shipping, vessel, port, cargo
= computing
bug, defect, fault, error, failure
code, software, pull request, commit, lines, programmer, developer, repository
software, programmer, developer, release, bug, code, defect
review, reviewer, inspection, comment, inspecting
test, unit test, suite, coverage, tdd
release, post-release, deployment, version
programming, pair programming, code, developer, coding
algorithm, model, classifier, accuracy, neural, dataset, precision, recall
neural network, deep learning, training, dataset, classifier
database, query, index, latency, throughput
password, login, phishing, authentication, security
phishing, email, clicked, click, link
cloud, server, latency, virtual machine
= energy
energy, kwh, power, consumption, watt
= school
school, pupil, classroom, teacher, class, grade, lesson, classmate
pupil, class, classmate, grade, school, lesson
reading, read, literacy, phonics, spelling, fluency, book
tutoring, tutor, mentoring, one-to-one
peer, classmate, older pupils, mentor
mathematics, maths, arithmetic, numeracy, algebra
homework, assignment, exercise
university, student, lecture, exam, campus, undergraduate
lecture, student, attendance, slides, exam, flipped
student, undergraduate, pupil, exam, grade
feedback, grade, comment, essay
exam, test, grade, mark, score
teacher, lesson, classroom, school
= language
bilingual, two languages, language, l2, vocabulary, words known, monolingual
vocabulary, word, words, lexical, words known
language, grammar, word, bilingual
accent, accented, native, non-native, pronunciation, foreign
listener, heard, rater, judged, hear, speaker
speech, speaker, spoken, sentence, utterance, voice
credible, truth, true, credibility, believe, trust
dialect, vowel, speaker, region, pronunciation
vowel, consonant, formant, pronunciation, phoneme
translation, translator, translated, post-editing, bleu
emoji, message, chat, text
= society
newspaper, press, journalist, article, headline
social media, facebook, instagram, twitter, post, feed
video game, gaming, player, console
music, song, melody, musician, instrument, piano, singing
= mind
memory, recall, remembered, forgetting, retention, words recalled
attention, distraction, focus, reaction
= economy
wage, pay, hourly, salary, earned, paid, day rate, labourer, earnings
minimum wage, pay floor, hourly, restaurant, teenager
employment, job, jobs, worker, hired, hours, staff, payroll, turnover
unemployment, job, benefit, jobless
worker, labourer, employee, staff, job
farm worker, mower, thresher, labourer, ploughman, reaper, estate
farm, estate, harvest, farmer, field, acre, manor
black death, plague, 1348, 1349, epidemic, labourers
plague, 1348, 1349, epidemic, buried, quarantine
tax, levy, duty, revenue, vat
sugar tax, soft drink, levy, beverage
price, cost, cheaper, expensive, menu, rent
rent, tenant, landlord, flat, housing
microcredit, microfinance, loan, borrower
cash transfer, household, grant, poverty
poverty, poor, income, household
trade, export, import, tariff, merchant
hyperinflation, inflation, price, currency, banknote, exchange rate
basic income, recipient, payment, grant, poverty
home, telework, office, commute, remote, call centre
work from home, telework, remote work, office, employee, commute
productive, productivity, output, calls, performance
office, employee, desk, staff
open-plan, desk, noise, office
four-day week, hours, sick days, employee
strike, union, worker, picket
= society
immigrant, migration, refugee, native
women, female, gender, men, girl
election, vote, voter, turnout, ballot, party, candidate
prison, inmate, sentence, offender, recidivism, released
crime, police, burglary, offence, theft, patrol
police, officer, patrol, body-worn, camera, complaint
court, judge, verdict, bail, sentence
= history
railway, line, station, parish, train
canal, barge, boat, toll
factory, mill, machine, spinning, loom, textile
industrial revolution, mill, factory, coal, engine
slave, slavery, plantation, abolition
medieval, manor, parish, abbey, monastery, guild
roman, legion, villa, amphora, emperor
guild, master, apprentice, craft
printing, press, book, printer, pamphlet
famine, harvest, starvation, blight, grain, emigrated
witch, witchcraft, trial, accused
colonial, colony, empire, settler
war, soldier, army, battle, bomb
= food
bread, loaf, dough, flour, crumb, baking, bakery, yeasted
sourdough, yeast, loaf, acidity, lactic, starter
fermentation, acidity, ph, lactic, yeasted, yeast, fermented, starter
cheese, ripening, rennet, milk, cheddar
yoghurt, milk, ferment, culture
meat, beef, pork, sausage, steak, tenderness
frying, oil, acrylamide, fried, chips, blanching, reducing sugars
storage, stored, shelf life, shelf, kept, refrigerated
freshness, shelf life, spoilage, storage
wine, grape, must, tannin
beer, hops, malt, brewing
chocolate, cocoa, flavanol
juice, ml, drink, drank, beverage
beetroot, nitrate, beet
nitrate, beetroot, nitrite
= sport
athlete, trained, riders, sport, runner, elite, player, vo2max, training
running, runner, marathon, km, shoe, stride
strength, squat, lift, muscle, resistance training, one-repetition
muscle, hypertrophy, strength, protein, soreness
creatine, strength, supplement, loading
stretching, flexibility, hamstring, warm-up
football, soccer, player, match, hamstring
concussion, head, impact, rugby, helmet
swimming, swimmer, pool, stroke
cold water, ice bath, immersion
altitude, hypoxia, haemoglobin, metres
exercise, training, workout, walking, aerobic, steps, gym
standing desk, sitting, desk, sedentary
= food
diet, meal, food, eating, calories, vegetarian, mediterranean
fasting, meal, calories, window
school meal, lunch, canteen, breakfast
sweetener, sugar, soft drink, soda
= nature
garden, gardening, allotment, plants
park, green space, trees, vegetation
noise, decibel, db, sound, loud
water, drinking water, well, tap, litre, filter
drinking water, chlorine, filter, diarrhoea, tap, well
latrine, sanitation, diarrhoea, toilet
recycling, waste, bin, kg, household, sorting
food waste, bin, kitchen, leftovers
earthquake, magnitude, seismic, quake
volcano, lava, eruption, ash
star, galaxy, telescope, planet, orbit
= computing
robot, robotic, arm, gripper
drone, uav, flight, aerial
sensor, logger, monitored, device
= economy
tourism, tourist, visitor, hotel
museum, visitor, exhibition
= health
dental, implant, fixture, crown, marginal bone, tooth, denture
implant, fixture, placement, abutment, marginal bone, screw
recover, recovery, flatus, stool, discharge, went home
bowel, colorectal, colon, flatus, stool, ileus
abdominal, colorectal, laparotomy, bowel, abdomen
die, death, excess mortality, victim, dead, killed
= nature
heat wave, summer, hot night, hot day, temperature, excess mortality, heatstroke
swiss, switzerland, basel, zurich, geneva, bern
city, basel, berlin, london, paris, vienna, new york
island, orkney, shetland, hebrides, azores, archipelago
= energy
tidal, turbine, tide, current, blade, wave power, marine
power, mw, turbine, capacity factor, generator, availability
= animals
footbathing, bathed, zinc sulphate, formalin, interdigital
rot, lame, interdigital, lesion, hoof
= nature
otter, mink, spraint, carcass, mammal
pesticide, dieldrin, ddt, aldrin, banned, withdrawn
banned, withdrawn, ban, prohibited, outlawed
river, survey, bank, otter, water vole, fish
= transport
scooter, rider, helmet, injured, e-scooter, hire
dangerous, injured, injury, trauma, accident, death, fatal
= school
sleep, actigraph, actigraphy, night, bedtime
school, bell, sophomore, biology, tardiness, term
teenager, sophomore, adolescent, youth, student, pupil
= history
leave, emigrant, emigrated, emigration, sailed, eviction, departed
ireland, irish, dublin, potato, belfast, cork
= language
vocal, voice, creak, creaky, voiced, larynx, pitch
fry, creak, creaky, frying, oil
women, female, ladies, mothers, girls
= sport
hamstring, strain, thigh, sprint
injury, strain, sprain, days out, trauma, injured
footballer, player, team, league, soccer, pitch
curl, eccentric, programme, session
= mind
emdr, eye movement, desensitisation, session
ptsd, trauma, ies-r, flashback, criteria, veteran
traumatic, trauma, ies-r, ptsd, flashback
refugee, syrian, camp, asylum, displaced
= computing
defect, fault, bug, failure, error, density
test-driven, test code, test first, tdd
development, team, vendor, developer, project
= economy
bond, issuer, issue, yield spread, basis point, coupon, underwriting
borrow, debt, spread, basis point, loan, interest, lender
loan, default, borrower, lender, bank, interest
interest rate, basis point, central bank, mortgage, inflation
bank, deposit, lender, branch, credit
stock market, share, investor, return, volatility
firm, company, employee, profit, sales, turnover
startup, founder, venture, funding
marketing, advertisement, sales, brand, customer
customer, buyer, shop, purchase, sales, consumer
insurance, premium, claim, insured
= health
health care, hospital, doctor, patient, visits
general practice, gp, doctor, surgery, consultation
emergency, ambulance, triage, department, waiting
catheter, urinary, line, insertion, bladder
urinary, bladder, urine, incontinence, cystitis, uti
incontinence, pelvic floor, leakage, pad
fever, temperature, antipyretic, paracetamol
nausea, vomiting, antiemetic, ondansetron
diarrhoea, stool, dehydration, ors, rotavirus
allergy, peanut, anaphylaxis, ige, allergic
hay fever, pollen, antihistamine, rhinitis
thyroid, tsh, levothyroxine, goitre
menopause, hot flush, hormone, oestrogen
contraception, pill, iud, condom
fertility, ivf, embryo, sperm, conception
endometriosis, pelvic, laparoscopy
prostate, psa, urinary, biopsy
anaemia, haemoglobin, iron, ferritin, transfusion
transfusion, haemoglobin, red cells, units
thrombosis, embolism, clot, heparin, dvt, anticoagulant
cholesterol, ldl, statin, lipid
palliative, hospice, dying, end of life
intensive care, icu, ventilator, sedation, critically ill
tooth, teeth, enamel, dentist, molar
whitening, bleaching, shade, peroxide
braces, aligner, orthodontic, bracket
wisdom teeth, molar, extraction, impacted
denture, edentulous, chewing, prosthesis
gum, gingival, periodontal, pocket
shock wave, tendon, plantar, heel
shoulder, rotator cuff, impingement
ankle, sprain, brace, taping
cast, splint, plaster, wrist
cataract, lens, phaco, acuity
= animals
parasite, worm, faecal, egg count, deworming, anthelmintic
deworming, worm, albendazole, helminth
rabies, bite, vaccination, dog
antimicrobial, resistance, resistant, esbl
calf, colostrum, weaning, heifer
= animals
horse, colic, stable, hay
= nature
bat, roost, echolocation, pipistrelle
fox, badger, hedgehog, camera trap
amphibian, frog, newt, pond, toad
snake, lizard, reptile
earthworm, burrow, cast, soil
spider, beetle, ground beetle, pitfall
ant, colony, forager
fungus, mycorrhiza, spore, hyphae, truffle
lichen, moss, bark
meadow, grassland, mowing, cut, sward
= land
grazing, pasture, stocking rate, sheep, cattle, grass
seed, germination, sowing, seedling
rotation, rye, clover, legume, break crop
tillage, no-till, ploughing, plough
agroforestry, alley, tree row, shade
banana, plantation, wilt
cocoa, coffee, shade, farmer
= nature
rat, mouse, rodent, trap
eel, weir, migration, passage
lake, phosphorus, algae, bloom, secchi
algae, bloom, chlorophyll, phosphorus
groundwater, well, aquifer, nitrate
desalination, membrane, brine, reverse osmosis
wastewater, sewage, effluent, sludge
landfill, leachate, methane, waste
permafrost, thaw, tundra
avalanche, snow, slope
snow, ski, snowpack
ozone, o3, ppb
= matter
aerogel, insulation, w/mk
titanium, alloy, implant, fatigue
graphene, oxide, nanosheet, filler, phr
rubber, tyre, elastomer, elongation
glass, pane, glazing, window
glazing, window, u-value, pane
brick, mortar, masonry, lime
adhesive, glue, bond strength, shear
paint, coating, layer, varnish
laser, pulse, beam
nanoparticle, nm, silver, particle
ceramic, sintering, zirconia
catalyst, conversion, selectivity, zeolite
= transport
fuel, petrol, diesel, litre, consumption
diesel, nox, particulate, engine
engine, fuel, torque, combustion
aircraft, wing, drag, lift
ferry, ship, passenger, port
freight, lorry, truck, haulage
car sharing, members, trips, vehicle
speed limit, km/h, 20 mph, 30 km/h
walking, pedestrian, pavement, steps
pedestrian, crossing, kerb, hit
autonomous, self-driving, disengagement
= energy
elevator, lift, floor, building
led, lighting, lamp, lumen
nuclear, reactor, radiation, msv
geothermal, borehole, drilling
hydropower, dam, reservoir, turbine
biomass, pellet, stove, wood
stove, smoke, cooking, fuelwood, pm2.5
= school
kindergarten, preschool, nursery, childcare
mooc, online course, completion, learner
laptop, notes, typing, handwriting
handwriting, typing, pen, letters
spaced, spacing, retention, repetition
flashcard, recall, retention
bullying, victim, pupils, anti-bullying
school uniform, pupils, discipline
class size, pupils, small classes
scholarship, grant, stipend, graduation
dropout, drop-out, attrition, left school
teacher training, coaching, lesson
stem, girls, physics, engineering
= mind
parenting, parents, mother, child
adoption, foster, orphan
divorce, marriage, spouse, couples
loneliness, lonely, isolation, companionship
happiness, satisfaction, well-being, wellbeing
gratitude, diary, journal
personality, extraversion, big five
implicit bias, iat, stereotype
procrastination, delay, deadline
willpower, ego depletion, self-control
nudge, default, opt-out, reminder
reminder, text message, sms, letter
placebo, sham, inert
hypnosis, suggestion, trance
virtual reality, headset, vr, immersion
gambling, bet, casino
= health
cannabis, marijuana, thc
opioid, overdose, naloxone, morphine
= society
gang, youth, violence
gun, firearm, homicide
cctv, camera, police, theft
lottery, winner, prize
corruption, bribe, official
aid, donor, development, recipient
fair trade, certified, premium, farmer
= history
coal, mine, miner, colliery
miner, pit, colliery, coal
suffrage, vote, women, franchise
census, parish, register, population
tuberculosis, sanatorium, phthisis
cholera, pump, well, outbreak
smallpox, inoculation, vaccination, variolation
crusade, knight, castle
viking, norse, ship, hoard
egypt, pyramid, pharaoh, tomb
archaeology, excavation, pottery, radiocarbon, bones
pottery, sherd, kiln, vessel
diet, isotope, collagen, bones
= history
map, cartographer, atlas
= language
slang, speakers, youth, word
loanword, borrowed, borrowing, dictionary
sign language, deaf, signer
gesture, speech, hand
swearing, taboo, pain, word
reading aloud, story, book
spelling, orthography, errors
stutter, fluency, syllable
code-switching, bilingual, switch
verb, tense, clause, syntax
metaphor, corpus, text
corpus, tokens, frequency, texts
= food
olive oil, polyphenol, virgin
honey, hive, nectar
tea, brew, catechin
rice, arsenic, cooking, grain
salad, lettuce, washing, leafy
milk, pasteurised, raw milk, shelf
egg, shell, salmonella, yolk
salmonella, campylobacter, contamination, carcass
mould, spoilage, mycotoxin
packaging, film, modified atmosphere, shelf
freezing, frozen, thawing
vegetable, carrot, broccoli, steaming
steaming, boiling, vitamin c, retention
gluten, coeliac, wheat
vegan, b12, plant-based
= sport
protein, whey, g/kg, leucine
caffeine, mg/kg, espresso, alertness
plyometric, jump, countermovement, height
jump, countermovement, cm, plyometric
sprint, metres, split, acceleration
cycling, cadence, watt, power
rowing, ergometer, stroke
climbing, finger, grip, hangboard
tennis, serve, racket
basketball, free throw, dunk
yoga, pose, asana, breathing
pilates, core, mat
foam rolling, soreness, range of motion
massage, soreness, therapist
heat training, sauna, plasma
= computing
compiler, speedup, optimisation
cache, latency, memory, hit rate
gpu, throughput, training, kernel
encryption, key, cipher
spam, email, filter, classifier
search engine, query, ranking, click
recommendation, recommender, user, rating
chatbot, conversation, user, answer
agile, sprint, scrum, team
static typing, typescript, type errors, javascript
refactoring, code smell, maintainability
open source, contributor, repository, maintainer
energy label, appliance, efficiency, kwh
website, page load, conversion, visitor
accessibility, screen reader, contrast
blockchain, transaction, bitcoin
= energy
sodium-ion, sodium, lithium, lfp, anode, cathode, cycles, wh, oxide, charge
= health
sealant, fissure, molar, decay, caries, ionomer
= nature
beaver, dam, pond, sediment, downstream, phosphate, felled
water quality, phosphate, nitrate, sediment, turbidity, nitrogen
= economy
price, guilder, florin, dollar, euro, pound, cheap, sold
firm, company, companies, staff, resignation, revenue
= history
tulip, bulb, guilder, mania, dutch
= language
uptalk, rising, intonation, tone, terminal, pitch, speaker
new zealand, maori, pakeha, auckland
= food
cold brew, steeping, roast, extract, filter, ph, coffee
= school
growth mindset, gpa, grader, grades, intervention, challenge
= computing
security, vulnerability, memory safety, exploit, rust, bug, patch
"""
